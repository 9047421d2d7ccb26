import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Config, emptyConfig } from '../../../../src/cli/config/config-file.js';
import { contextInForce } from '../../../../src/cli/config/context-in-force.js';
import { CommandFailure } from '../../../../src/cli/words/command-failure.js';

const at = (server: string) => ({ server, tokenFile: null });
const config: Config = {
  ...emptyConfig,
  context: 'used',
  contexts: new Map([
    ['used', at('http://used')],
    ['other', at('http://other')],
  ]),
};

describe('the context in force', () => {
  test.each([
    ['the one in use', undefined, {}, 'used'],
    ['that of the variable before it', undefined, { HOUMAO_CONTEXT: 'other' }, 'other'],
    ['that of the flag before both', 'used', { HOUMAO_CONTEXT: 'other' }, 'used'],
    ['none, where the flag says here', 'here', {}, null],
    ['none, where the variable says here', undefined, { HOUMAO_CONTEXT: 'here' }, null],
    ['none, in the session of an agent', undefined, { HOUMAO_MANIFEST_PATH: '/x' }, null],
    ['that of the flag, in the session of an agent', 'used', { HOUMAO_MANIFEST_PATH: '/x' }, 'used'],
    ['the one in use, where the variable is empty', undefined, { HOUMAO_CONTEXT: '' }, 'used'],
  ])('is %s', (_what, flag, environment, expected) => {
    expect(contextInForce({ flag, environment }, config)).toBe(expected);
  });

  test('is one that there is, or the command is refused', () => {
    const name = fc.oneof(fc.constantFrom('used', 'other', 'here', ''), fc.string());
    fc.assert(
      fc.property(fc.option(name, { nil: undefined }), name, (flag, variable) => {
        const find = () => contextInForce({ flag, environment: { HOUMAO_CONTEXT: variable } }, config);
        const named = flag ?? (variable || undefined);
        if (named === undefined || named === 'here' || config.contexts.has(named))
          expect(find()).toBe(named === undefined ? 'used' : named === 'here' ? null : named);
        else expect(find).toThrow(CommandFailure);
      }),
    );
  });
});
