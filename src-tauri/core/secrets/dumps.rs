//! The memory of a program that ends by a signal goes to a file where the system is set so, and the keys with it.

/// Has no such file made of this process, nor of those it starts. Where the system refuses, the program goes on.
#[cfg(unix)]
pub fn none() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // The upper bound stays: whoever looks for a mistake of ours can raise the limit of the running process again.
    let none = Rlimit { current: Some(0), ..getrlimit(Resource::Core) };
    if let Err(cause) = setrlimit(Resource::Core, none) {
        tracing::warn!(%cause, "what a crash of this program leaves on the disk may hold keys");
    }
}

/// Nothing: no such file is made where nobody asked for it.
#[cfg(not(unix))]
pub const fn none() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn no_core_dump_is_made_of_this_process() {
        super::none();
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
        assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    }
}
