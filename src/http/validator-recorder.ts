import { _, type Ajv as AjvCore } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { Ajv, ValidatorStore } from './eov/share-validators.js';

/** The parts of the very copy of ajv that compiles: another copy's would not know its code. */
export interface AjvParts {
  _: typeof _;
  standaloneCode: typeof standaloneCode.default;
}

/** Notes every validator that is compiled, for the build to write them down. */
export class ValidatorRecorder implements ValidatorStore {
  private readonly kinds = new Map<string, { ajv: Ajv; keys: Record<string, string> }>();

  private readonly ajv: AjvParts;

  constructor(ajv: AjvParts = { _, standaloneCode: standaloneCode.default }) {
    this.ajv = ajv;
  }

  shelfFor(ajv: Ajv, kind: string): { find(): undefined; made(key: string): void } {
    const keys: Record<string, string> = {};
    this.kinds.set(kind, { ajv, keys });
    // Here polishing costs a build and no start.
    Object.assign(ajv.opts.code, { source: true, optimize: 1, formats: this.ajv._`formats` });
    return {
      find: () => undefined,
      made: (key) => {
        keys[key] = key;
      },
    };
  }

  /** The text of a CommonJS module: a `CompiledModule`. */
  text(): string {
    const kinds = [...this.kinds].map(([kind, { ajv, keys }]) => {
      const code = this.ajv.standaloneCode(ajv as unknown as AjvCore, keys);
      return `exports[${JSON.stringify(kind)}] = (require, formats) => { const exports = {};\n${code}\nreturn exports; };\n`;
    });
    return `'use strict';\n${kinds.join('')}`;
  }
}
