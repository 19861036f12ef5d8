// Asks the control plane of this machine: node post.mjs PATH BODY, as `curl -d BODY` would. Prints what it answers.
const [path, body] = process.argv.slice(2);
const url = process.env.MERIDIAN_URL ?? 'http://127.0.0.1:5681';
const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
