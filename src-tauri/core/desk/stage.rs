//! Practice: a sandbox inside the program, a log of its own that starts empty, and the story that plays there.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use pozy_sandbox::{Handle, Sandbox, Step, Story};
use tokio::{sync::Mutex as AsyncMutex, task::JoinHandle, time};

use super::{Desk, Given};
use crate::{
    commands::wire::StoryLine,
    error::{Code, Error, Result},
    outbound::{
        foretell::{Consent, Plan},
        submit::{self, Draft, POSTS},
    },
    secrets::Secret,
    store::turn::own_file,
};

/// Folder of practice logs inside the data folder.
const FOLDER: &str = "practice";

/// A sandbox with the folder for its log. Only one program practises on a data folder at a time.
pub(crate) struct Stage {
    folder: PathBuf,
    given: Given,
    webhook_secret: Option<Secret>,
    story: Story,
    told: Mutex<Vec<StoryLine>>,
    playing: AtomicBool,
    task: Mutex<Option<JoinHandle<()>>>,
    /// None once the stage was left.
    open: AsyncMutex<Option<Open>>,
}

/// What is given back when the stage is left.
struct Open {
    sandbox: Handle,
    /// Locked as long as this program practises.
    _turn: File,
}

impl Stage {
    /// Starts a sandbox and clears the practice log of last time.
    ///
    /// # Errors
    /// `Busy` if another program practises on this data folder, `Storage` if the folder cannot be cleared.
    pub(crate) async fn set(data: &Path) -> Result<Self> {
        let turn = own_file(&data.join("practice.lock"))?;
        turn.try_lock().map_err(|_| {
            Error::new(
                Code::Busy,
                "Another Reprise practises on this computer already; use that window, or choose another data folder.",
            )
        })?;
        let folder = data.join(FOLDER);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let story =
            Story::built_in().map_err(|cause| Error::caused(Code::Internal, "The story cannot be read.", cause))?;
        let sandbox = Sandbox::start(story.options())
            .await
            .map_err(|cause| Error::caused(Code::Busy, "The sandbox cannot start on this computer.", cause))?;
        let api_key =
            Secret::new(sandbox.api_key()).ok_or_else(|| Error::new(Code::Internal, "The sandbox made no key."))?;
        Ok(Self {
            folder,
            given: Given { base_url: sandbox.url().to_owned(), api_key },
            webhook_secret: Secret::new(sandbox.webhook_secret()),
            story,
            told: Mutex::default(),
            playing: AtomicBool::new(false),
            task: Mutex::default(),
            open: AsyncMutex::new(Some(Open { sandbox, _turn: turn })),
        })
    }

    /// Where the practice log lies.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How to reach the sandbox.
    pub(crate) fn given(&self) -> Given {
        self.given.clone()
    }

    /// What the sandbox signs with.
    pub(crate) fn webhook_secret(&self) -> Option<Secret> {
        self.webhook_secret.clone()
    }

    /// The lines told so far, oldest first.
    pub(crate) fn told(&self) -> Vec<StoryLine> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many lines the story has.
    pub(crate) fn lines(&self) -> u32 {
        u32::try_from(self.story.steps.iter().filter(|step| step.says.is_some()).count()).unwrap_or(u32::MAX)
    }

    /// True while the story plays.
    pub(crate) fn is_playing(&self) -> bool {
        self.playing.load(Ordering::Acquire)
    }

    /// Plays the story from its beginning. A second call while it plays changes nothing.
    pub(crate) fn play(self: &Arc<Self>, desk: &Desk) {
        if self.playing.swap(true, Ordering::AcqRel) {
            return;
        }
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let (stage, desk) = (Arc::clone(self), desk.clone());
        let task = tokio::spawn(async move {
            if let Err(problem) = stage.tell_story(&desk).await {
                stage.tell(&desk, format!("The story stops here. {}", problem.message));
            }
            stage.playing.store(false, Ordering::Release);
            desk.tell();
        });
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    async fn tell_story(&self, desk: &Desk) -> Result<()> {
        let mut told_until = 0.0;
        for timed in &self.story.steps {
            time::sleep(Duration::from_secs_f64((timed.at_s - told_until).max(0.0))).await;
            told_until = timed.at_s;
            if let Some(says) = &timed.says {
                self.tell(desk, says.clone());
            }
            if let Step::Submit { body, .. } = &timed.step {
                self.submit(desk, body).await?;
            } else {
                let open = self.open.lock().await;
                let Some(Open { sandbox, .. }) = &*open else { return Ok(()) };
                sandbox
                    .play(&timed.step)
                    .await
                    .map_err(|cause| Error::caused(Code::Internal, "The sandbox did not play along.", cause))?;
            }
        }
        Ok(())
    }

    /// Sends a post of the story the way every post is sent.
    async fn submit(&self, desk: &Desk, body: &serde_json::Value) -> Result<()> {
        let room = desk.room().await;
        let connection = room.connected()?;
        let draft = Draft { path: POSTS.to_owned(), key: None, body: body.to_string().into_bytes(), form: None };
        // The story plays a double post on purpose: whatever is foretold is what it means to show.
        let plan = Plan::new(&draft.path, None, &draft.body, connection);
        let told = plan.foretell(&room.store, &room.clock, &connection.contract).await?.forecast;
        submit::submit(&room.store, &room.clock, connection, draft, Consent::Effect(told.effect)).await?;
        Ok(())
    }

    fn tell(&self, desk: &Desk, says: String) {
        let line = StoryLine { at: desk.clock().now().into(), says };
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        desk.tell();
    }

    /// Ends the story and the sandbox.
    pub(crate) async fn leave(&self) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
        if let Some(open) = self.open.lock().await.take() {
            open.sandbox.stop().await;
        }
    }
}
