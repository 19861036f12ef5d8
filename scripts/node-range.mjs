/**
 * Whether a version of Node is in a range as `engines` of package.json has it: `^A.B.C || >=D.E.F`.
 * The text of this function goes into the programs, which ask it before anything else (bundle.mjs): it uses nothing
 * beside it, and what every Node has.
 */
export function fits(version, range) {
  const numbers = (text) => text.split('.').map((part) => Number.parseInt(part, 10));
  const own = numbers(version);
  return range.split('||').some((one) => {
    const least = numbers(one.replace(/[^\d.]/g, ''));
    const differing = least.findIndex((number, at) => own[at] !== number);
    return (differing === -1 || own[differing] > least[differing]) && (!one.includes('^') || own[0] === least[0]);
  });
}
