import type { Internals } from './eov/internals.js';
import { ownFormats } from './formats.js';

export const responseSettings = { removeAdditional: false, coerceTypes: false } as const;

/**
 * The settings of each kind of ajv, the same for every surface and for the build: validators compiled ahead are found
 * by them.
 */
export const ajvSettings = ({
  AjvOptions,
  defaultSerDes,
}: Internals): InstanceType<Internals['AjvOptions']> =>
  new AjvOptions({
    validateRequests: { allErrors: true, discriminator: true },
    validateResponses: responseSettings,
    validateFormats: true,
    ajvFormats: { mode: 'full' },
    formats: { ...ownFormats },
    serDes: defaultSerDes,
  });
