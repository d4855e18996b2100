//! Kernels on the machine's own graphics driver: bytes in, bytes out.

/// An open device.
pub struct Driver {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// What it calls itself.
    pub name: String,
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
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let opened = pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
        let info = adapter.get_info();
        Ok(Self { device: opened.0, queue: opened.1, name: format!("{} ({})", info.name, info.driver_info) })
    }

    /// Runs `main` of `source` once on `groups` workgroups. `buffers` are bindings 0, 1, … of group 0, the second a uniform buffer and
    /// the others storage buffers, of which the first is read-only; they hold the results afterwards.
    ///
    /// # Errors
    /// When the driver refuses the kernel.
    pub fn run(&self, source: &str, buffers: &mut [Vec<u32>], groups: u32) -> Result<(), String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let resident: Vec<wgpu::Buffer> = buffers.iter().map(|words| self.upload(words)).collect();
        let pipeline = self.pipeline(source);
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        let entries: Vec<_> = (0..)
            .zip(&resident)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
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
            pass.dispatch_workgroups(groups, 1, 1);
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
        for (words, staging) in buffers.iter_mut().zip(&back) {
            let view = staging.get_mapped_range(..).map_err(|e| e.to_string())?;
            *words = bytemuck::pod_collect_to_vec(&view);
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

    fn pipeline(&self, source: &str) -> wgpu::ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, storage(true)),
                entry(1, wgpu::BufferBindingType::Uniform),
                entry(2, storage(false)),
                entry(3, storage(false)),
            ],
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
    }
}
