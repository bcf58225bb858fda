//! svix-server, where `SVIX_SERVER` names its program: it takes events by its own API and keeps them to send them on. Its
//! queue and cache are in memory and its application has no endpoint, so that all it does is record.

use std::{env, path::Path, process::Command};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    Outcome,
    postgres::Postgres,
    process::{Process, run},
};

/// Names the program.
pub(crate) const VARIABLE: &str = "SVIX_SERVER";

/// A server that takes messages.
pub(crate) struct Svix {
    pub(crate) process: Process,
    /// `http://host:port/path` that messages of its one application go to.
    pub(crate) address: String,
    /// What a sender shows.
    pub(crate) token: String,
}

/// Gives `command` the server's settings.
fn settings(command: &mut Command, postgres: &Postgres, port: u16, secret: &str, folder: &Path) {
    command
        .current_dir(folder)
        .env("SVIX_DB_DSN", postgres.address())
        .env("SVIX_LISTEN_ADDRESS", format!("127.0.0.1:{port}"))
        .env("SVIX_QUEUE_TYPE", "memory")
        .env("SVIX_CACHE_TYPE", "memory")
        .env("SVIX_MAIN_SECRET", secret)
        .env("SVIX_JWT_SECRET", secret);
}

/// Empties its tables, starts it with `start`, and makes an application.
///
/// # Errors
/// If it does not start or refuses.
pub(crate) async fn start(
    postgres: &Postgres,
    port: u16,
    secret: &str,
    folder: &Path,
    start: impl AsyncFnOnce(&mut Command) -> Outcome<Process>,
) -> Outcome<Svix> {
    let program = env::var(VARIABLE)?;
    postgres.ask("DROP SCHEMA public CASCADE; CREATE SCHEMA public")?;
    let command = || {
        let mut command = Command::new(&program);
        settings(&mut command, postgres, port, secret, folder);
        command
    };
    run(command().arg("migrate"))?;
    let said = run(command().args(["jwt", "generate"]))?;
    let token = said.split_whitespace().last().ok_or("svix-server gave no token")?.to_owned();
    let process = start(&mut command()).await?;
    let made = post(port, "/api/v1/app/", &token, &json!({ "name": "bench" })).await?;
    let app = made["id"].as_str().ok_or("svix-server made no application")?;
    Ok(Svix { process, address: format!("http://127.0.0.1:{port}/api/v1/app/{app}/msg/"), token })
}

/// One request on a connection of its own.
async fn post(port: u16, path: &str, token: &str, body: &Value) -> Outcome<Value> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("svix-server answers no HTTP")?;
    if !head.contains(" 201 ") {
        return Err(format!("svix-server refuses {path}: {answer}").into());
    }
    Ok(serde_json::from_str(body)?)
}
