//! As much of Redis's protocol as storing an arrival takes: one connection, on which whatever waits is written together
//! and the replies are matched in their order. That is the fastest way there is into one Redis.

use std::io;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, oneshot},
};

/// The most commands of one write.
const BATCH: usize = 256;

type Reply = oneshot::Sender<io::Result<bool>>;

/// A connection that many may use at once.
pub(crate) struct Link {
    waiting: mpsc::Sender<(Vec<u8>, Reply)>,
}

impl Link {
    /// Connects to the Redis at `authority`.
    ///
    /// # Errors
    /// If nobody listens there.
    pub(crate) async fn open(authority: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        let (read, write) = stream.into_split();
        let (waiting, commands) = mpsc::channel(BATCH * 4);
        let (asked, replies) = mpsc::channel(BATCH * 4);
        tokio::spawn(send(write, commands, asked));
        tokio::spawn(match_replies(read, replies));
        Ok(Self { waiting })
    }

    /// Stores `value` under `key` unless that is there; true if it was stored. Redis replies once its journal has the
    /// command, as durably as `appendfsync` says.
    ///
    /// # Errors
    /// If Redis refuses it or the connection is gone.
    pub(crate) async fn set_once(&self, key: &str, value: &[u8]) -> io::Result<bool> {
        let mut command = format!("*4\r\n$3\r\nSET\r\n${}\r\n{key}\r\n${}\r\n", key.len(), value.len()).into_bytes();
        command.extend_from_slice(value);
        command.extend_from_slice(b"\r\n$2\r\nNX\r\n");
        let (done, reply) = oneshot::channel();
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.waiting.send((command, done)).await.map_err(|_| gone())?;
        reply.await.map_err(|_| gone())?
    }
}

async fn send(mut write: OwnedWriteHalf, mut commands: mpsc::Receiver<(Vec<u8>, Reply)>, asked: mpsc::Sender<Reply>) {
    let mut batch = Vec::with_capacity(BATCH);
    while commands.recv_many(&mut batch, BATCH).await > 0 {
        let bytes: Vec<u8> = batch.iter().flat_map(|(command, _)| command.iter().copied()).collect();
        if write.write_all(&bytes).await.is_err() {
            return;
        }
        for (_, done) in batch.drain(..) {
            if asked.send(done).await.is_err() {
                return;
            }
        }
    }
}

async fn match_replies(read: OwnedReadHalf, mut asked: mpsc::Receiver<Reply>) {
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let stored = match line.as_str() {
            "+OK" => Ok(true),
            "$-1" => Ok(false),
            strange => Err(io::Error::other(format!("Redis says {strange}"))),
        };
        let Some(done) = asked.recv().await else { return };
        // Nobody waits for it any more if its connection broke.
        drop(done.send(stored));
    }
}
