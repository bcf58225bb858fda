//! What can be typed after `bulk`.

use clap::{Args, Subcommand};
use reprise_core::outbound::bulk::{
    filter::{Filter, Kind},
    group::Group,
    run::Choice,
};

use crate::args::Pozy;

#[derive(Debug, Subcommand)]
pub(crate) enum Bulk {
    /// Take jobs from the whole log and foretell each; sends nothing
    Plan {
        #[command(flatten)]
        filter: Wanted,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Ask Pozy how the posts of the group `fetch_first` stand, and group these rows anew; sends nothing
    Fetch {
        /// The bulk
        bulk: String,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Run groups of a bulk, or go on with those that were chosen before, to the end or the first surprise
    Run {
        /// The bulk
        bulk: String,
        /// A group to run; one that makes new posts with the reason why; may be given more than once
        #[arg(long, value_name = "GROUP[=REASON]", value_parser = choice)]
        group: Vec<Choice>,
        /// Most rows on the wire at once, 1 to 16
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
        at_once: Option<u32>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Hold a bulk that runs, in whatever program; it can go on
    Pause {
        /// The bulk
        bulk: String,
    },
    /// End a bulk for good; what was not begun stays undone
    Stop {
        /// The bulk
        bulk: String,
    },
    /// Show what was foretold of each job against what came
    Show {
        /// The bulk
        bulk: String,
    },
    /// List the latest bulks
    List,
}

/// Which jobs; none of these takes all that did not finish well.
#[derive(Args, Debug)]
pub(crate) struct Wanted {
    /// This job and no others; may be given more than once
    #[arg(long, value_name = "JOB", conflicts_with_all = ["since_h", "kind", "text", "account"])]
    job: Vec<String>,
    /// Asked for in the last so many hours [default: 30]
    #[arg(long, value_name = "HOURS")]
    since_h: Option<u32>,
    /// Only for this reason; may be given more than once
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<Kind>,
    /// Only posts that hold these words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Only posts that go to this account
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Jobs that were read from a file as well
    #[arg(long)]
    imported: bool,
}

impl From<Wanted> for Filter {
    fn from(wanted: Wanted) -> Self {
        Self {
            jobs: wanted.job,
            since_h: wanted.since_h,
            kinds: wanted.kind,
            text: wanted.text,
            account: wanted.account,
            imported: wanted.imported,
        }
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    Kind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let words = Kind::ALL.map(Kind::word);
        format!("it is none of {}", words.join(", "))
    })
}

/// `ask_again`, or `post_again=Why it is posted again`.
fn choice(text: &str) -> Result<Choice, String> {
    let (word, reason) = text.split_once('=').map_or((text, None), |(word, reason)| (word, Some(reason.to_owned())));
    let runs: Vec<Group> = Group::ALL.into_iter().filter(|group| group.deed().is_some()).collect();
    match runs.iter().find(|group| group.word() == word) {
        Some(group) => Ok(Choice { group: *group, reason }),
        None => {
            let words: Vec<&str> = runs.iter().map(|group| group.word()).collect();
            Err(format!("it is none of {}", words.join(", ")))
        }
    }
}
