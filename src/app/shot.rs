//! The real window drawn off screen, into a picture.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use egui::{Pos2, Rect, vec2};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor, wgpu};

use super::{View, theme};
use crate::base::day;
use crate::base::diag::Diagnostic;
use crate::gpu::client::WorkerCommand;
use crate::lesson::PackFiles;
use crate::session::desk::state::DeviceState;
use crate::session::desk::{Command, Desk, Options, SettingCommand};
use crate::session::learn::saved::ThemeChoice;

/// A picture waits this long at most for traces and measurements.
const PATIENCE: Duration = Duration::from_secs(60);

/// The picture to draw.
pub struct Shot<'a> {
    /// The lesson's id.
    pub lesson: &'a str,
    /// The step, from 1.
    pub step: usize,
    /// Width and height in points.
    pub size: [u32; 2],
    /// The colours.
    pub theme: ThemeChoice,
    /// Whether the step's experiment is run first, where something can measure.
    pub experiment: bool,
    /// Lanes in a traced warp.
    pub warp_width: u32,
    /// An element whose origin is shown: buffer, and 32-bit word.
    pub explain: Option<(String, u64)>,
}

/// Draws a step once everything it shows is there, and writes it as PNG.
///
/// # Errors
/// Where there is no such lesson or step, no graphics driver to draw with, or the file cannot be written.
pub fn shoot(files: PackFiles, worker: WorkerCommand, shot: &Shot<'_>, path: &Path) -> Result<(), Diagnostic> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let problem = Diagnostic::error(format!("there is no folder {}", folder.display()));
        return Err(problem.hint("make it, or write the picture into another one"));
    }
    let mut canvas = Canvas::new(shot.size)?;
    let woken = Arc::new(AtomicBool::new(true));
    let wake = woken.clone();
    let kept = tempfile::tempdir().map_err(|error| Diagnostic::error(format!("no temporary folder: {error}")))?;
    let mut desk = Desk::open(Options {
        files,
        state_path: Some(kept.path().join("state.ron")),
        worker,
        seed: 1,
        clock: Arc::new(day::now),
        wake: Arc::new(move || wake.store(true, Ordering::Relaxed)),
    });
    let mut view = View::default();
    let began = Instant::now();
    let mut stage = 0;
    while began.elapsed() < PATIENCE {
        canvas.run(&mut view, &mut desk);
        let ready = desk.state().place.lesson.is_some() || !desk.state().library.problems.is_empty();
        if stage == 0 && ready {
            open(&mut desk, shot)?;
            stage = 1;
        } else if stage == 1 && settled(&desk) {
            if shot.experiment {
                desk.command(Command::RunExperiment);
            }
            if let Some((buffer, index)) = &shot.explain {
                desk.command(Command::Explain(buffer.clone(), *index));
            }
            stage = 2;
        } else if stage == 2 && settled(&desk) && !view.is_waiting() {
            break;
        }
        if !woken.swap(false, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    if stage < 2 {
        let message = format!("the pack was not read, or the page not traced, within {} s", PATIENCE.as_secs());
        return Err(
            Diagnostic::error(message).hint("try again when the machine has less to do, or choose smaller values")
        );
    }
    // Formulas come a few in each frame.
    for _ in 0..24 {
        canvas.run(&mut view, &mut desk);
    }
    let image = canvas.paint(&mut view, &mut desk)?;
    desk.close()?;
    let mut png = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut png, image::ImageFormat::Png)
        .map_err(|error| Diagnostic::error(format!("the picture cannot be stored as PNG: {error}")))?;
    crate::base::store::write_atomic(path, png.get_ref())
}

fn settled(desk: &Desk) -> bool {
    !desk.busy() && !matches!(desk.state().found.device, DeviceState::Starting)
}

fn open(desk: &mut Desk, shot: &Shot<'_>) -> Result<(), Diagnostic> {
    let broken = desk.state().library.problems.iter().find(|p| p.is_error()).cloned();
    let lesson =
        crate::session::run::lesson(&desk.state().library.pack, shot.lesson).map_err(|why| broken.unwrap_or(why))?;
    let steps = lesson.steps.len();
    if shot.step == 0 || shot.step > steps {
        return Err(Diagnostic::error(format!("lesson `{}` has no step {}", shot.lesson, shot.step))
            .hint(format!("it has steps 1 to {steps}")));
    }
    let id = lesson.id.clone();
    desk.command(Command::Set(SettingCommand::Theme(shot.theme)));
    desk.command(Command::OpenLesson(id));
    desk.command(Command::Set(SettingCommand::WarpWidth(shot.warp_width)));
    desk.command(Command::GoTo(shot.step - 1));
    Ok(())
}

/// A window without a screen: egui, and a texture that it is painted on.
pub struct Canvas {
    ctx: egui::Context,
    size: [u32; 2],
    time: f64,
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
    textures: Vec<egui::TexturesDelta>,
}

impl Drop for Canvas {
    /// Textures that were never painted are dropped on purpose; egui takes that for a mistake unless it is informed.
    fn drop(&mut self) {
        self.textures.iter_mut().for_each(egui::TexturesDelta::clear);
    }
}

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

impl Canvas {
    /// A canvas of this size in points, at one pixel a point.
    ///
    /// # Errors
    /// Where there is no graphics driver.
    pub fn new(size: [u32; 2]) -> Result<Self, Diagnostic> {
        let missing = |error: &dyn std::fmt::Display| {
            Diagnostic::error(format!("there is no graphics driver to draw with: {error}"))
                .hint("on Debian and Ubuntu, mesa-vulkan-drivers and libvulkan1 suffice")
        };
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|error| missing(&error))?;
        let wanted = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).map_err(|error| missing(&error))?;
        let renderer = Renderer::new(&device, FORMAT, RendererOptions::default());
        let ctx = egui::Context::default();
        theme::install(&ctx);
        Ok(Self { ctx, size, time: 0.0, device, queue, renderer, textures: Vec::new() })
    }

    /// Runs one frame without painting it.
    pub fn run(&mut self, view: &mut View, desk: &mut Desk) -> egui::FullOutput {
        self.time += 1.0 / 60.0;
        #[expect(clippy::cast_precision_loss, reason = "a window's size")]
        let size = vec2(self.size[0] as f32, self.size[1] as f32);
        let input = egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(self.time),
            max_texture_side: Some(8192),
            ..Default::default()
        };
        let mut output = self.ctx.run_ui(input, |ui| view.show(ui, desk));
        self.textures.push(std::mem::take(&mut output.textures_delta));
        output
    }

    /// Runs one frame and paints it.
    ///
    /// # Errors
    /// Where the picture cannot be read back.
    pub fn paint(&mut self, view: &mut View, desk: &mut Desk) -> Result<image::RgbaImage, Diagnostic> {
        let output = self.run(view, desk);
        for mut delta in std::mem::take(&mut self.textures) {
            for (id, images) in &delta.set {
                for image in images {
                    self.renderer.update_texture(&self.device, &self.queue, *id, image);
                }
            }
            delta.clear();
        }
        let jobs = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let screen = ScreenDescriptor { size_in_pixels: self.size, pixels_per_point: output.pixels_per_point };
        let extent = wgpu::Extent3d { width: self.size[0], height: self.size[1], depth_or_array_layers: 1 };
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("canvas"),
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let extra = self.renderer.update_buffers(&self.device, &self.queue, &mut encoder, &jobs, &screen);
        {
            let target = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let attachment = wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            };
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("canvas"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            });
            self.renderer.render(&mut pass.forget_lifetime(), &jobs, &screen);
        }
        self.read_back(encoder, extra, &texture)
    }

    fn read_back(
        &self,
        mut encoder: wgpu::CommandEncoder,
        extra: Vec<wgpu::CommandBuffer>,
        texture: &wgpu::Texture,
    ) -> Result<image::RgbaImage, Diagnostic> {
        let [width, height] = self.size;
        let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None },
            },
            texture.size(),
        );
        self.queue.submit(extra.into_iter().chain([encoder.finish()]));
        let failed =
            |what: &dyn std::fmt::Display| Diagnostic::error(format!("the picture could not be read back: {what}"));
        buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| failed(&error))?;
        let rows = buffer.slice(..).get_mapped_range().map_err(|error| failed(&error))?;
        let mut pixels = Vec::with_capacity((width * height * 4) as usize);
        for row in rows.chunks(stride as usize) {
            pixels.extend_from_slice(&row[..(width * 4) as usize]);
        }
        image::RgbaImage::from_raw(width, height, pixels).ok_or_else(|| failed(&"its size is off"))
    }
}
