import { _, type Ajv as AjvCore } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { Ajv } from './eov/internals.js';
import type { ValidatorStore } from './eov/share-validators.js';

/** Parts of the copy of ajv that compiles: the parts of another copy would not recognise its code. */
export interface AjvParts {
  _: typeof _;
  standaloneCode: typeof standaloneCode.default;
}

/** Records every validator that is compiled, so that the build can write them to a file. */
export class ValidatorRecorder implements ValidatorStore {
  readonly #kinds = new Map<string, { ajv: Ajv; keys: Record<string, string> }>();

  readonly #ajv: AjvParts;

  constructor(ajv: AjvParts = { _, standaloneCode: standaloneCode.default }) {
    this.#ajv = ajv;
  }

  shelfFor(ajv: Ajv, kind: string): { find(): undefined; made(key: string): void } {
    const keys: Record<string, string> = {};
    this.#kinds.set(kind, { ajv, keys });
    // Optimizing here slows down the build, not a start.
    Object.assign(ajv.opts.code, { source: true, optimize: 1, formats: this.#ajv._`formats` });
    return {
      find: () => undefined,
      made: (key) => {
        keys[key] = key;
      },
    };
  }

  /** Returns the text of a CommonJS module: a `CompiledModule`. */
  text(): string {
    const kinds = [...this.#kinds].map(([kind, { ajv, keys }]) => {
      const code = this.#ajv.standaloneCode(ajv as unknown as AjvCore, keys);
      return `exports[${JSON.stringify(kind)}] = (require, formats) => { const exports = {};\n${code}\nreturn exports; };\n`;
    });
    return `'use strict';\n${kinds.join('')}`;
  }
}
