//! Written vectors and behaviour of the sandbox, over real sockets.
