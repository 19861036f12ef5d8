// Calls a URL with the trial certificate of a caller, as one service calls another: node call.mjs CALLER URL.
// Prints the status and what was answered, or 0 and what failed.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const [caller, url] = process.argv.slice(2);
const folder = process.env.CERTIFICATES ?? '/etc/meridian/proxies';
const own = readFileSync(`${folder}/${caller}.pem`);
const options = { ca: readFileSync(`${folder}/ca.pem`), cert: own, key: own, checkServerIdentity: () => undefined, timeout: 5000 };
const asked = request(url, options, (answer) => {
  let body = '';
  answer.on('data', (part) => (body += part)).on('end', () => console.log(answer.statusCode, body.trim()));
});
asked.on('timeout', () => asked.destroy(new Error('no answer in 5 seconds')));
asked.on('error', (error) => console.log(0, error.message)).end();
