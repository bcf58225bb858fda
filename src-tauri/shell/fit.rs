//! The window on the screen that it is on: whatever size and place were remembered, all of it is in reach.

use tauri::{AppHandle, Manager as _, PhysicalPosition, PhysicalSize, Runtime, WebviewWindow};

/// Makes the window fit its screen, which may be smaller than the one it was left on. Before its page is there the window
/// does not tell the size that it will have.
pub(crate) fn fit<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window("main") else { return };
    if let Err(cause) = fit_window(&window) {
        tracing::warn!(%cause, "the window may be larger than the screen");
    }
}

fn fit_window<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    if window.is_maximized()? || window.is_fullscreen()? {
        return Ok(());
    }
    let Some(screen) = window.current_monitor()?.or(window.primary_monitor()?) else { return Ok(()) };
    let room = screen.work_area();
    let (inner, outer) = (window.inner_size()?, window.outer_size()?);
    let frame = [outer.width.saturating_sub(inner.width), outer.height.saturating_sub(inner.height)];
    let at = window.outer_position()?;
    let [width, x] = within(room.position.x, room.size.width, at.x, outer.width);
    let [height, y] = within(room.position.y, room.size.height, at.y, outer.height);
    let (wide, high) = (as_size(width), as_size(height));
    if (wide, high) != (outer.width, outer.height) {
        window.set_size(PhysicalSize::new(wide.saturating_sub(frame[0]), high.saturating_sub(frame[1])))?;
    }
    if [x, y] != [i64::from(at.x), i64::from(at.y)] {
        window.set_position(PhysicalPosition::new(as_place(x), as_place(y)))?;
    }
    Ok(())
}

/// Length and start of a stretch that was at `at` and `long`, inside the room that starts at `start`: no longer than it,
/// and moved no further than it takes.
fn within(start: i32, room: u32, at: i32, long: u32) -> [i64; 2] {
    let (start, room, at) = (i64::from(start), i64::from(room), i64::from(at));
    let long = i64::from(long).min(room);
    [long, at.clamp(start, start + room - long)]
}

fn as_size(pixels: i64) -> u32 {
    u32::try_from(pixels).unwrap_or_default()
}

fn as_place(pixels: i64) -> i32 {
    i32::try_from(pixels).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_where_it_is() {
        assert_eq!(within(0, 1280, 60, 1100), [1100, 60]);
        assert_eq!(within(1280, 1920, 1300, 1900), [1900, 1300], "on the second monitor, too");
    }

    #[test]
    fn what_is_too_long_is_cut_and_what_sticks_out_is_moved_in() {
        assert_eq!(within(0, 1280, 30, 3800), [1280, 0]);
        assert_eq!(within(0, 900, 400, 800), [800, 100]);
        assert_eq!(within(0, 900, -50, 800), [800, 0]);
        assert_eq!(within(-1920, 1920, -2000, 1000), [1000, -1920], "a monitor to the left begins below nought");
    }
}
