//! Compiling a job's WGSL to a pipeline that can be dispatched, with the compiler's errors at their place.

use std::collections::BTreeMap;

use super::device::{Gpu, cause};
use super::unchecked;
use crate::base::diag::Diagnostic;
use crate::base::parts::in_part;
use crate::base::wgsl::without_enable_subgroups;
use crate::gpu::backend::Failure;
use crate::gpu::driver::{Guards, Part};
use crate::job::{BindingKind, Launch, Wgsl};

pub(super) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    /// The launch's bind groups by number, in order.
    layouts: Vec<(u32, wgpu::BindGroupLayout)>,
    fence: Option<(u32, wgpu::BindGroup)>,
}

/// Bind groups by number: one choice of buffers for a kernel.
pub(super) type Bound = Vec<(u32, wgpu::BindGroup)>;

impl Kernel {
    /// Compiles a launch's kernel.
    pub(super) fn compile(gpu: &Gpu, launch: &Launch, guards: Guards) -> Result<Self, Failure> {
        let wgsl = launch.wgsl()?;
        let module = module(gpu, &launch.kernel, wgsl, guards)?;
        let result = gpu.scoped(|| {
            let layouts = layouts(gpu, launch);
            let fence = fence(gpu, launch);
            let groups = layouts.last().map_or(0, |(group, _)| group + 1);
            let mut slots: Vec<Option<&wgpu::BindGroupLayout>> = vec![None; groups as usize];
            for (group, layout) in &layouts {
                slots[*group as usize] = Some(layout);
            }
            if let Some((layout, _)) = &fence {
                slots.push(Some(layout));
            }
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                bind_group_layouts: &slots,
                ..Default::default()
            });
            let constants: Vec<(&str, f64)> = wgsl.overrides.iter().map(|(name, v)| (name.as_str(), *v)).collect();
            let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&launch.kernel),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(&wgsl.entry),
                compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
                cache: None,
            });
            Self { pipeline, layouts, fence: fence.map(|(_, group)| (groups, group)) }
        });
        result.map_err(|error| {
            let message = format!("kernel `{}` cannot be prepared for this device: {}", launch.kernel, cause(&error));
            Diagnostic::error(message).in_file(&wgsl.file).into()
        })
    }

    /// Whether launches in one pass wait for each other whatever buffers they use.
    pub(super) fn keeps_order(&self) -> bool {
        self.fence.is_some()
    }

    /// Binds parts of memory, one for each of the launch's bindings.
    pub(super) fn bind(&self, gpu: &Gpu, launch: &Launch, parts: &[Part<'_, Gpu>]) -> Result<Bound, Failure> {
        let result = gpu.scoped(|| {
            self.layouts
                .iter()
                .map(|(group, layout)| {
                    let mine = launch.bindings.iter().zip(parts).filter(|(binding, _)| binding.group == *group);
                    let entries: Vec<wgpu::BindGroupEntry<'_>> = mine
                        .map(|(binding, part)| wgpu::BindGroupEntry {
                            binding: binding.binding,
                            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                                buffer: part.memory,
                                offset: part.offset,
                                size: std::num::NonZeroU64::new(part.bytes),
                            }),
                        })
                        .collect();
                    let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
                    (*group, gpu.device.create_bind_group(&descriptor))
                })
                .collect()
        });
        result.map_err(|error| {
            let message = format!("kernel `{}` cannot be given its buffers: {}", launch.kernel, cause(&error));
            Diagnostic::error(message).in_file(launch.file()).into()
        })
    }

    /// Puts one launch into a pass.
    pub(super) fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, bound: &Bound, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        for (group, bind_group) in bound.iter().chain(&self.fence) {
            pass.set_bind_group(*group, bind_group, &[]);
        }
        pass.dispatch_workgroups(x, y, z);
    }
}

fn module(gpu: &Gpu, kernel: &str, wgsl: &Wgsl, guards: Guards) -> Result<wgpu::ShaderModule, Failure> {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(kernel),
        source: wgpu::ShaderSource::Wgsl(without_enable_subgroups(&wgsl.source)),
    };
    let mut created = None;
    let outcome = gpu.scoped(|| {
        created = Some(unchecked::shader_module(&gpu.device, descriptor, guards));
    });
    let complaint = match (&outcome, &created) {
        (Ok(()), _) | (_, None) => None,
        (Err(_), Some(module)) => pollster::block_on(module.get_compilation_info())
            .messages
            .into_iter()
            .find(|message| message.message_type == wgpu::CompilationMessageType::Error),
    };
    match (outcome, created) {
        (Ok(()), Some(module)) => Ok(module),
        (Err(error), _) => {
            let message = complaint.as_ref().map_or_else(|| cause(&error), |c| headline(&c.message));
            let diagnostic = Diagnostic::error(message);
            Err(match complaint.and_then(|c| c.location) {
                Some(place) => {
                    let start = place.offset as usize;
                    let span = start..start + place.length as usize;
                    in_part(diagnostic.at(&wgsl.file, &wgsl.source, &span), &wgsl.source)
                }
                None => diagnostic.in_file(&wgsl.file),
            }
            .into())
        }
        (Ok(()), None) => Err(Diagnostic::error("the shader was not compiled").in_file(&wgsl.file).into()),
    }
}

/// The sentence of a compiler message that is drawn over many lines.
fn headline(message: &str) -> String {
    let line = message.lines().find_map(|line| line.trim().strip_prefix("error: "));
    line.or_else(|| message.lines().find(|line| !line.trim().is_empty())).unwrap_or(message).trim().to_owned()
}

/// A layout for each bind group that the launch uses, by number. Said outright, because a derived one drops unused
/// bindings.
fn layouts(gpu: &Gpu, launch: &Launch) -> Vec<(u32, wgpu::BindGroupLayout)> {
    let mut groups: BTreeMap<u32, Vec<wgpu::BindGroupLayoutEntry>> = BTreeMap::new();
    for binding in &launch.bindings {
        let ty = match binding.kind {
            BindingKind::ReadOnly => wgpu::BufferBindingType::Storage { read_only: true },
            BindingKind::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
            BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
        };
        groups.entry(binding.group).or_default().push(entry(binding.binding, ty));
    }
    groups.into_iter().map(|(group, entries)| (group, layout(gpu, &entries))).collect()
}

fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

fn layout(gpu: &Gpu, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
}

/// A writable buffer in a bind group of its own that no shader ever touches. Launches with different buffers may
/// overlap on the device; since all declare that they might write this one, each waits for the one before. None if the
/// device has no bind group or storage binding to spare.
fn fence(gpu: &Gpu, launch: &Launch) -> Option<(wgpu::BindGroupLayout, wgpu::BindGroup)> {
    let groups = launch.bindings.iter().map(|binding| binding.group + 1).max().unwrap_or(0);
    let storage = launch.bindings.iter().filter(|binding| binding.kind != BindingKind::Uniform).count();
    let room =
        groups < gpu.limits.max_bind_groups && storage < gpu.limits.max_storage_buffers_per_shader_stage as usize;
    room.then(|| {
        let layout = layout(gpu, &[entry(0, wgpu::BufferBindingType::Storage { read_only: false })]);
        let entries = [wgpu::BindGroupEntry { binding: 0, resource: gpu.fence.as_entire_binding() }];
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        let group = gpu.device.create_bind_group(&descriptor);
        (layout, group)
    })
}
