import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayReachability } from '../../../../src/server/inspection/agent-summary.js';

const status = fc.constantFrom(200, 401, 403, 404, 421, 422, 500, 503);
const answers = fc.array(fc.option(status), { maxLength: 3 });

test('a gateway is asked only when it has answered everything, its status first of all', () => {
  fc.assert(
    fc.property(answers, fc.boolean(), (given, processLives) => {
      const answered = gatewayReachability({ answers: given, processLives }) === 'answers';
      expect(answered).toBe(given[0] === 200 && !given.includes(null));
    }),
  );
});

test('one that gave no answer is absent if and only if its process is', () => {
  fc.assert(
    fc.property(answers, fc.boolean(), (given, processLives) => {
      const reachability = gatewayReachability({ answers: [null, ...given], processLives });
      expect(reachability).toBe(processLives ? 'silent' : 'absent');
    }),
  );
  expect(gatewayReachability({ answers: [], processLives: false })).toBe('absent');
});

test.each([401, 403, 421])('one that answers its status with %i serves, but not this server', (refused) => {
  fc.assert(
    fc.property(answers, fc.boolean(), (given, processLives) => {
      expect(gatewayReachability({ answers: [refused, ...given], processLives })).toBe('refuses');
    }),
  );
});
