//! Kernels on the machine's own graphics driver: bytes in, bytes out.

use warpbook::job::BindingKind;
use warpbook::simt::Binding;

use super::case::Case;

/// Features that not every device has.
const EXTENSIONS: wgpu::Features = wgpu::Features::SUBGROUP.union(wgpu::Features::SHADER_F16);

/// An open device.
pub struct Driver {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Its name.
    pub name: String,
    /// The least and the largest number of lanes of a subgroup.
    pub subgroup: [u32; 2],
    features: wgpu::Features,
}

impl Driver {
    /// Opens the machine's best device.
    ///
    /// # Errors
    /// When there is none.
    pub fn open() -> Result<Self, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options)).map_err(|e| e.to_string())?;
        let features = adapter.features() & EXTENSIONS;
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            required_features: features,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
        let info = adapter.get_info();
        let name = format!("{} ({})", info.name, info.driver_info);
        let subgroup = [info.subgroup_min_size, info.subgroup_max_size];
        Ok(Self { device, queue, name, subgroup, features })
    }

    /// Whether it has halves, and subgroups of one size that the tracer's warps may have.
    pub fn is_extended(&self) -> bool {
        let [least, most] = self.subgroup;
        self.features.contains(EXTENSIONS) && least == most && (8..=64).contains(&least)
    }

    /// Runs `case` once, which uses `bindings`. `buffers` are in the order of the bindings' numbers, and hold the
    /// results afterwards.
    ///
    /// # Errors
    /// When the driver refuses the kernel.
    pub fn run(&self, case: &Case, bindings: &[Binding], buffers: &mut [Vec<u32>]) -> Result<(), String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let resident: Vec<wgpu::Buffer> = bindings.iter().map(|b| self.upload(&buffers[b.binding as usize])).collect();
        let pipeline = self.pipeline(case, bindings);
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        let entries: Vec<_> = bindings
            .iter()
            .zip(&resident)
            .map(|(b, buffer)| wgpu::BindGroupEntry { binding: b.binding, resource: buffer.as_entire_binding() })
            .collect();
        let bound = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bound, &[]);
            let [x, y, z] = case.grid;
            pass.dispatch_workgroups(x, y, z);
        }
        let mut back = Vec::new();
        for buffer in &resident {
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: buffer.size(),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
            back.push(staging);
        }
        self.queue.submit([encoder.finish()]);
        for staging in &back {
            staging.map_async(wgpu::MapMode::Read, .., |_| ());
        }
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
        for (b, staging) in bindings.iter().zip(&back) {
            let view = staging.get_mapped_range(..).map_err(|e| e.to_string())?;
            buffers[b.binding as usize] = bytemuck::pod_collect_to_vec(&view);
        }
        Ok(())
    }

    fn upload(&self, words: &[u32]) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: words.len() as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    fn pipeline(&self, case: &Case, bindings: &[Binding]) -> wgpu::ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(case.source.into()),
        });
        let entries: Vec<_> = bindings
            .iter()
            .map(|b| wgpu::BindGroupLayoutEntry {
                binding: b.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match b.kind {
                        BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
                        kind => wgpu::BufferBindingType::Storage { read_only: kind == BindingKind::ReadOnly },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let constants: Vec<(&str, f64)> = case.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
            cache: None,
        })
    }
}
