import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactFields } from '../../../src/diagnostics/diagnostic-entry.js';

const dropped =
  'attachment attachments attachment_contents authorization bearer body body_content cookie cookies credential credentials credential_file credential_ref env environment password prompt raw_body raw_prompt refresh_token secret token x_authorization x_body x_cookie x_credential x_env x_password x_prompt x_secret x_token'.split(
    ' ',
  );

test.each(dropped)('%s is dropped in any case, at any depth', (name) => {
  for (const spelling of [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)]) {
    const secret = { [spelling]: { deep: 'hidden' }, kept: 1 };
    const json = JSON.stringify(redactFields({ a: [{ b: secret }], ...secret }));
    expect(json).toBe('{"a":[{"b":{"kept":1}}],"kept":1}');
  }
});

test.each(['body_present', 'include_body', 'prompting', 'tokens', 'message_ref', 'environments'])(
  '%s stays, unless the list says otherwise',
  (name) => {
    const stays = !/_body$/.test(name);
    expect(redactFields({ [name]: 1 })).toEqual(stays ? { [name]: 1 } : {});
  },
);

test('what has no such name is left as it is', () => {
  const key = fc.stringMatching(/^k[0-9]{1,3}$/);
  fc.assert(
    fc.property(fc.object({ key, values: [fc.string(), fc.integer(), fc.constant(null)] }), (value) => {
      expect(redactFields(value)).toEqual(value);
    }),
  );
});
