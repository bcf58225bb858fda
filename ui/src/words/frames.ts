// Words of the panel that times the frames.

/** All words of the panel. */
export const framesWords = {
  title: 'Frames',
  open: 'Time the frames',
  close: 'Stop timing the frames',
  over: 'Start over',
  last: (seconds: number, frames: number) => `Last ${seconds.toFixed(0)} s, ${frames} frames`,
  rows: {
    frame: 'Frame',
    paint: 'Drawing',
    seen: (ms: number) => `Over ${ms} ms`,
    updates: 'Updates a frame, most',
    pulls: 'Pulls a frame, most',
  },
  columns: ['', 'Median', '95 %', '99 %', 'Worst'] as const,
  ms: (ms: number) => `${ms.toFixed(1)} ms`,
}
