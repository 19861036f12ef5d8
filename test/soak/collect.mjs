// Loaded into a daemon by `--import`, with `--expose-gc`: at SIGUSR2 it collects all that can be collected, and says
// what is left, in bytes. Twice, and a turn between: what the first finds to be without an owner may hold more.
process.on('SIGUSR2', () => {
  globalThis.gc();
  setImmediate(() => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    console.error(JSON.stringify({ collected: { held: heapUsed + external, rss } }));
  });
});
