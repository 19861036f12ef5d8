/** Why something can't be shown; nothing where there is no reason. */
export function Problem({ text }: { text: string }) {
  return text === '' ? null : <p role="alert">{text}</p>;
}
