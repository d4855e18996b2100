/* What a bare launch costs: an empty kernel through the driver's own calls, and through a CUDA graph. Prints one JSON object.
 *
 * cc -O2 -o launch launch.c -ldl && ./launch
 *
 * Both times are from one launch to the next on the device's clock, the median of 200 batches: "direct" where the host launches one
 * after the other on an idle device, "graph" where one graph holds all launches of a batch.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 256, BATCHES = 200 };

static const char *EMPTY =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty()\n{\n    ret;\n}\n";

typedef void *Handle;

static void *library;

/* A function of the driver, by name. */
static void *of(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(2);
    }
    return found;
}

static void require(const char *what, int status) {
    if (status) {
        fprintf(stderr, "%s: CUDA error %d\n", what, status);
        exit(2);
    }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(void) {
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    int (*init)(unsigned) = of("cuInit");
    int (*retain)(Handle *, int) = of("cuDevicePrimaryCtxRetain");
    int (*current)(Handle) = of("cuCtxSetCurrent");
    int (*load)(Handle *, const void *) = of("cuModuleLoadData");
    int (*get)(Handle *, Handle, const char *) = of("cuModuleGetFunction");
    int (*stream_new)(Handle *, unsigned) = of("cuStreamCreate");
    int (*event_new)(Handle *, unsigned) = of("cuEventCreate");
    int (*record)(Handle, Handle) = of("cuEventRecord");
    int (*wait)(Handle) = of("cuEventSynchronize");
    int (*elapsed)(float *, Handle, Handle) = of("cuEventElapsedTime");
    int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **) =
        of("cuLaunchKernel");
    int (*begin)(Handle, int) = of("cuStreamBeginCapture_v2");
    int (*end)(Handle, Handle *) = of("cuStreamEndCapture");
    int (*instantiate)(Handle *, Handle, unsigned long long) = of("cuGraphInstantiateWithFlags");
    int (*run)(Handle, Handle) = of("cuGraphLaunch");

    Handle context, module, kernel, stream, start, stop, graph, executable;
    require("cuInit", init(0));
    require("cuDevicePrimaryCtxRetain", retain(&context, 0));
    require("cuCtxSetCurrent", current(context));
    require("cuModuleLoadData", load(&module, EMPTY));
    require("cuModuleGetFunction", get(&kernel, module, "empty"));
    require("cuStreamCreate", stream_new(&stream, 1));
    require("cuEventCreate", event_new(&start, 0) | event_new(&stop, 0));
    require("cuStreamBeginCapture", begin(stream, 1));
    for (int i = 0; i < BATCH; i++) {
        require("cuLaunchKernel", launch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, 0, 0));
    }
    require("cuStreamEndCapture", end(stream, &graph));
    require("cuGraphInstantiate", instantiate(&executable, graph, 0));

    double medians[2];
    for (int captured = 0; captured < 2; captured++) {
        float times[BATCHES];
        /* The first half warms up. */
        for (int batch = -BATCHES; batch < BATCHES; batch++) {
            record(start, stream);
            if (captured) {
                run(executable, stream);
            } else {
                for (int i = 0; i < BATCH; i++) {
                    launch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, 0, 0);
                }
            }
            record(stop, stream);
            require("a batch of launches", wait(stop));
            float milliseconds = 0;
            require("cuEventElapsedTime", elapsed(&milliseconds, start, stop));
            if (batch >= 0) {
                times[batch] = milliseconds;
            }
        }
        qsort(times, BATCHES, sizeof times[0], by_value);
        medians[captured] = times[BATCHES / 2] * 1e-3 / BATCH;
    }
    printf("{\"direct_s\": %.4e, \"graph_s\": %.4e}\n", medians[0], medians[1]);
    return 0;
}
