// Asks the control plane of this machine: node post.mjs PATH BODY [TIMES], as `curl -d BODY` would. Prints what it
// answers, the last time.
const [path, body, times = '1'] = process.argv.slice(2);
const url = process.env.MERIDIAN_URL ?? 'http://127.0.0.1:5681';
const ask = () => fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
for (let time = 1; time < Number(times); time++) await ask();
const answer = await ask();
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
