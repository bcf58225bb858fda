//! Whether an answer left. Each connection carries a watch: the handler says which arrival the next answer belongs to,
//! the socket says that its bytes were handed to the system, and a connection that ends before says that they never
//! were. What became of answers goes to its table in the next batch (design 3.3).

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::mpsc::{UnboundedReceiver, UnboundedSender},
};

use super::record::record_answer;
use crate::{
    clock::{Clock, Moment, Stopwatch},
    ids::Seq,
    pozy::contract::Contract,
    store::Store,
};

/// Most notes in one write.
const BATCH: usize = 256;
/// How long notes gather before they are written.
const GATHER: Duration = Duration::from_millis(20);
/// How long a failed write waits before it is tried again, and how often.
const AGAIN: Duration = Duration::from_secs(1);
const TRIES: u32 = 5;

/// What became of the answer to one arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    seq: Seq,
    left: Option<Moment>,
    took_ms: i64,
}

/// Watches the answers of one connection, which HTTP/1 sends one after the other.
#[derive(Clone)]
pub(super) struct Watch {
    state: Arc<Mutex<State>>,
    notes: UnboundedSender<Note>,
    clock: Clock,
}

#[derive(Default)]
struct State {
    /// Answers that have not left. Several where a sender does not wait for one before it asks on.
    due: Vec<Due>,
    closed: bool,
}

struct Due {
    seq: Seq,
    since: Stopwatch,
    written: bool,
}

impl Watch {
    pub(super) fn new(notes: UnboundedSender<Note>, clock: Clock) -> Self {
        Self { state: Arc::default(), notes, clock }
    }

    /// The next answer on this connection is that of `seq`, which arrived at `since`.
    pub(super) fn expect(&self, seq: Seq, since: Stopwatch) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            self.note(seq, None, since);
        } else {
            state.due.push(Due { seq, since, written: false });
        }
    }

    fn wrote(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.due.iter_mut().for_each(|due| due.written = true);
    }

    fn flushed(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for due in state.due.extract_if(.., |due| due.written) {
            self.note(due.seq, Some(self.clock.now()), due.since);
        }
    }

    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        for due in state.due.drain(..) {
            self.note(due.seq, None, due.since);
        }
    }

    fn note(&self, seq: Seq, left: Option<Moment>, since: Stopwatch) {
        if self.notes.send(Note { seq, left, took_ms: since.ms() }).is_err() {
            tracing::warn!(seq = seq.0, "an answer was noted too late; the end of the session settles it");
        }
    }
}

/// A socket under watch.
pub(super) struct Watched<S> {
    socket: S,
    watch: Watch,
}

impl<S> Watched<S> {
    pub(super) const fn new(socket: S, watch: Watch) -> Self {
        Self { socket, watch }
    }
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        self.watch.close();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.socket).poll_write(cx, bytes);
        if matches!(done, Poll::Ready(Ok(1..))) {
            self.watch.wrote();
        }
        done
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.socket).poll_write_vectored(cx, bytes);
        if matches!(done, Poll::Ready(Ok(1..))) {
            self.watch.wrote();
        }
        done
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.socket).poll_flush(cx);
        if matches!(done, Poll::Ready(Ok(()))) {
            self.watch.flushed();
        }
        done
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

/// Writes notes in batches until all watches are gone. A batch that cannot be written is tried again a few times;
/// after that the end of the session settles it.
pub(super) async fn write_notes(store: Store, contract: Arc<Contract>, mut notes: UnboundedReceiver<Note>) {
    let mut batch = Vec::with_capacity(BATCH);
    while notes.recv_many(&mut batch, BATCH).await > 0 {
        tokio::time::sleep(GATHER).await;
        while batch.len() < BATCH
            && let Ok(note) = notes.try_recv()
        {
            batch.push(note);
        }
        for _ in 0..TRIES {
            let (notes, contract) = (batch.clone(), Arc::clone(&contract));
            let written = store.write_often(move |connection| {
                notes
                    .iter()
                    .try_for_each(|note| record_answer(connection, note.seq, note.left, Some(note.took_ms), &contract))
            });
            match written.await {
                Ok(()) => break,
                Err(cause) => tracing::warn!(%cause, count = batch.len(), "answers could not be noted"),
            }
            tokio::time::sleep(AGAIN).await;
        }
        batch.clear();
    }
}
