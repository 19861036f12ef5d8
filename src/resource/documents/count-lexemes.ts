import { beyond, type ReadingLimits } from './reading-limits.ts';

/** What the lexer says before the text of a scalar, which may look like anything. */
const SCALAR = '\u001f';

/** Counts what the lexer of YAML reads, so that a text is refused before much of it is in memory. */
export class LexemeCount {
  private readonly limits: ReadingLimits;
  #parts = 0;
  #aliases = 0;
  #documents = 1;
  #inScalar = false;

  constructor(limits: ReadingLimits) {
    this.limits = limits;
  }

  /** Takes the next one. Out: why nothing may be read after it, or undefined. */
  add(lexeme: string): string | undefined {
    const isText = this.#inScalar;
    this.#inScalar = lexeme === SCALAR;
    if (this.#inScalar) return undefined;
    this.#parts += 1;
    if (!isText && lexeme === '---') {
      this.#parts = 0;
      this.#documents += 1;
    }
    if (!isText && (lexeme.startsWith('*') || lexeme.startsWith('&'))) this.#aliases += 1;
    return this.#broken();
  }

  #broken(): string | undefined {
    const { limits } = this;
    if (this.#parts > limits.parts) return beyond('parts', limits);
    if (this.#aliases > limits.aliases) return beyond('aliases', limits);
    return this.#documents > limits.documents ? beyond('documents', limits) : undefined;
  }
}
