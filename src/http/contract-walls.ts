import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { ownFormats } from '../contract/formats.js';
import { type Json, runtimeDocument } from '../contract/runtime-document.js';
import { finiteNumbers } from './eov/finite-numbers.js';
import { internals } from './eov/internals.js';
import { keepSchemaErrors } from './eov/keep-schema-errors.js';
import { leaveDiscriminators } from './eov/leave-discriminators.js';
import { memoiseRoutes } from './eov/memoise-routes.js';
import { noBrackets } from './eov/no-brackets.js';
import { noTrailingSlash } from './eov/no-trailing-slash.js';
import { resolveByPointer } from './eov/resolve-by-pointer.js';
import { shareValidators, type ValidatorStore } from './eov/share-validators.js';
import { skipDocumentCheck } from './eov/skip-document-check.js';
import { steadyHeaders } from './eov/steady-headers.js';
import { takeBundledDocument } from './eov/take-bundled-document.js';

/** What to do with an answer of ours that breaks the contract: throw in tests, report and send in a release. */
export type ResponsePolicy = { kind: 'throw' } | { kind: 'report'; report: (fault: string) => void };

/** The middleware that checks every request and every response of a surface against its document. */
export function contractWalls(
  document: Json,
  isOurs: (path: string) => boolean,
  policy: ResponsePolicy,
  validators: ValidatorStore,
): RequestHandler[] {
  memoiseRoutes(internals);
  keepSchemaErrors(internals);
  resolveByPointer(internals);
  leaveDiscriminators(internals);
  shareValidators(internals, validators);
  skipDocumentCheck(internals);
  takeBundledDocument(internals);
  const onError =
    policy.kind === 'report'
      ? ({ message }: Error) =>
          policy.report(`an answer breaks the contract and was sent all the same: ${message}`)
      : null;
  const middleware = OpenApiValidator.middleware({
    apiSpec: runtimeDocument(document) as never,
    validateApiSpec: false,
    validateRequests: { allErrors: true, discriminator: true } as never,
    // Written out, so that both policies give ajv the same settings: validators compiled ahead are found by them.
    validateResponses: {
      removeAdditional: false,
      coerceTypes: false,
      onError,
    } as never,
    validateSecurity: false,
    fileUploader: false,
    ignorePaths: (path: string) => !isOurs(path),
    ajvFormats: { mode: 'full' } as never,
    formats: { ...ownFormats } as never,
  });
  return [
    noTrailingSlash(isOurs),
    steadyHeaders,
    ...(middleware as unknown as RequestHandler[]),
    noBrackets,
    finiteNumbers,
  ];
}
