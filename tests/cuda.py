"""The CUDA backend on a real GPU. Run it where there is one: python3 tests/cuda.py path/to/warpbook [--endless]

It takes a pack out of this repository, bends copies of it, and looks at what the command line says. Standard library only.
--endless also waits for the deadline of a kernel that never ends, which takes half a minute.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LESSON = "coalescing"


def warpbook(*args, pack=None):
    """Exit code, standard output, standard error."""
    chosen = ["--pack", str(pack)] if pack else []
    done = subprocess.run([sys.argv[1], *chosen, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def run(*args, pack=None, code=0):
    """What `run --json` on CUDA prints."""
    got, out, err = warpbook("run", LESSON, "--backend", "cuda", "--json", *args, pack=pack)
    assert got == code, (got, err)
    return json.loads(out)


def bent(folder, name, change):
    """A copy of the pack, with the text of one file changed."""
    pack = pathlib.Path(folder) / name.replace("/", "_")
    for part in ("lessons", "shaders", "assets"):
        shutil.copytree(ROOT / part, pack / part)
    file = pack / name
    text = file.read_text()
    assert change(text) != text, "the change finds nothing to change in " + name
    file.write_text(change(text))
    return pack


def table(output):
    for kernel in output["kernels"]:
        time, made = kernel["time"], kernel["compiled"]
        print(f"  {kernel['id']:18} {time['median_s'] * 1e6:9.2f} us  {kernel['bytes_per_s'] / 1e9:7.1f} GB/s  "
              f"{time['cache']:4}  {made['registers']} registers, {made['occupancy']}")
        if kernel["library"]:
            library = kernel["library"]
            print(f"    {library['name']:16} {library['time']['median_s'] * 1e6:9.2f} us  "
                  f"{library['bytes_per_s'] / 1e9:7.1f} GB/s  (library)")


def test_doctor():
    _, out, _ = warpbook("doctor", "--json")
    report = json.loads(out)
    cuda = next(b for b in report["backends"] if b["backend"] == "cuda")
    assert cuda["device"], cuda
    parts = {part["name"]: part for part in report["cuda"]}
    assert parts["CUDA driver"]["found"] and parts["NVRTC"]["found"], parts
    print(" ", cuda["device"]["name"], cuda["device"]["driver"], cuda["device"]["api"])
    for part in report["cuda"]:
        print(" ", part["name"], part["what"])


def test_every_check_passes():
    output = run()
    assert output["backend"] == "cuda" and output["kernels"], output
    for kernel in output["kernels"]:
        assert kernel["ok"] and kernel["time"] and kernel["check"]["elements"] > 0, kernel
        assert kernel["compiled"]["registers"] > 0 and kernel["compiled"]["local_bytes"] == 0, kernel
    library = next(k["library"] for k in output["kernels"] if k["id"] == "copy")
    assert library["ok"] and library["time"], library
    table(output)
    for setting in ("n=1024", "block=32", "block=1024", "stride=7", "offset=31", "n=67108864"):
        output = run("--set", setting)
        assert all(k["ok"] for k in output["kernels"]), (setting, output)
        print("  every check passes at", setting)


def test_warm_and_large_copies():
    wide = lambda text: text.replace("PowersOfTwo(1024, 67108864)", "PowersOfTwo(1024, 268435456)").replace(
        'values: [\n', 'values: [\n        (id: "launch", label: "launch", unit: "s", expr: "device.launch"),\n'
        '        (id: "fma", label: "fma", unit: "", expr: "device.fma"),\n'
        '        (id: "copied", label: "copied", unit: "B/s", expr: "device.copy"),\n', 1)
    with tempfile.TemporaryDirectory() as folder:
        pack = bent(folder, f"lessons/{LESSON}/lesson.ron", wide)
        for n in (1 << 26, 1 << 28):
            output = run("--kernel", "copy", "--kernel", "vec4", "--set", f"n={n}", pack=pack)
            copy, vector = output["kernels"]
            library = copy["library"]["bytes_per_s"]
            best = max(copy["bytes_per_s"], vector["bytes_per_s"])
            print(f"  {n * 4 >> 20} MiB: copy {copy['bytes_per_s'] / 1e9:.1f}, vec4 {vector['bytes_per_s'] / 1e9:.1f}, "
                  f"library {library / 1e9:.1f} GB/s: best kernel / library = {best / library:.3f}")
            assert best >= 0.97 * library, "a copy kernel reaches 97% of the driver's copy"
            print(f"  ceilings: launch {output['values']['launch'] * 1e6:.2f} us, copy kernel "
                  f"{output['values']['copied'] / 1e9:.1f} GB/s, fma {output['values']['fma'] / 1e12:.1f} TFLOP/s")


def test_timings_repeat():
    first, second = (run("--set", f"n={1 << 26}") for _ in range(2))
    for one, other in zip(first["kernels"], second["kernels"]):
        a, b = one["time"]["median_s"], other["time"]["median_s"]
        print(f"  {one['id']:18} {a * 1e6:9.2f} us, again {b * 1e6:9.2f} us: {abs(a - b) / a:.2%}")
        assert a < 100e-6 or abs(a - b) < 0.01 * a, "medians of two runs agree within 1%"


def test_an_illegal_address_costs_one_point():
    wild = lambda text: text.replace("src[i * STRIDE + OFFSET]", "src[i * STRIDE + OFFSET + (STRIDE == 3 ? 1ull << 40 : 0)]")
    with tempfile.TemporaryDirectory() as folder:
        pack = bent(folder, f"shaders/{LESSON}/strided.cu", wild)
        code, out, err = warpbook("sweep", LESSON, "--kernel", "strided", "--over", "stride=1,2,3,4,5", "--backend", "cuda",
                                  "--json", pack=pack)
        points = json.loads(out)["points"]
        assert code == 1 and [p["ok"] for p in points] == [True, True, False, True, True], (code, out, err)
        assert "memory that is not its own" in points[2]["error"] and "strided.cu" in points[2]["error"], points[2]
        print(" ", points[2]["error"])


def test_a_mistake_is_shown_at_its_place():
    with tempfile.TemporaryDirectory() as folder:
        pack = bent(folder, f"shaders/{LESSON}/copy.cu", lambda text: text.replace("= src[i]", "= sorc[i]"))
        output = run("--kernel", "copy", pack=pack, code=1)
        error = output["kernels"][0]["error"]
        assert f"shaders/{LESSON}/copy.cu:9:23: error: identifier \"sorc\" is undefined" in error, error
        code, _, err = warpbook("check", str(pack))
        assert code == 2 and "sorc" in err, err


def test_ptx_comes_with_its_source():
    code, out, err = warpbook("run", LESSON, "--backend", "cuda", "--kernel", "copy", "--ptx")
    assert code == 0 and ".entry copy" in out and "float value = src[i];" in out, (out, err)


def endless():
    forever = lambda text: text.replace("float value = src[i];", "float value = src[i];\n        while (value != 2.0f) value = 1.0f;")
    with tempfile.TemporaryDirectory() as folder:
        pack = bent(folder, f"shaders/{LESSON}/copy.cu", forever)
        output = run("--kernel", "copy", "--kernel", "vec4", pack=pack, code=1)
        lost, after = output["kernels"]
        assert "no sign of life" in lost["error"] and "copy.cu" in lost["error"] and after["ok"], output
        print(" ", lost["error"])


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests + ([endless] if "--endless" in sys.argv else []):
        print(test.__name__)
        test()
    print("all passed")


if __name__ == "__main__":
    main()
