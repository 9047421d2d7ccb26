// The project's plugin for Redocly CLI: what it does to a contract before it is checked and bundled, and what it checks.
import { ErrorCodes, ErrorSentences } from './error-codes.mjs';
import { Examples } from './examples.mjs';
import { Formats } from './formats.mjs';
import { ForwardedOperations, forwardedTypes } from './forwarded-operations.mjs';
import { RetryPolicy } from './retry-policy.mjs';
import { SharedResponses } from './shared-responses.mjs';

export default () => ({
  id: 'contract',
  typeExtension: forwardedTypes,
  preprocessors: {
    oas3: {
      'forwarded-operations': ForwardedOperations,
      'shared-responses': SharedResponses,
      examples: Examples,
      formats: Formats,
    },
  },
  decorators: { oas3: { 'error-codes': ErrorCodes } },
  rules: { oas3: { 'error-sentences': ErrorSentences, 'retry-policy': RetryPolicy } },
});
