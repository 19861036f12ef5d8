// The health check of the images meridian-global and meridian-zone: 0 when /ready says so.
const port = process.env.MERIDIAN_DIAGNOSTICS_PORT ?? '5680';
const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
