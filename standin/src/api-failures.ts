import type { ApiFailure } from './rows.js';

const retryLater = 'usually temporary — try again in a moment.';

/** Returns the failure for an error status of the API, in Claude Code's words. */
export function apiFailure(status: number): ApiFailure {
  switch (status) {
    case 401: {
      const type = 'authentication_error';
      const text = `Failed to authenticate. API Error: 401 stand-in ${type}`;
      return { status, error: 'authentication_failed', type, text };
    }
    case 429: {
      const type = 'rate_limit_error';
      return { status, error: 'rate_limit', type, text: `API Error: 429 stand-in ${type}` };
    }
    case 529: {
      const text = `API Error: Repeated 529 Overloaded errors. The API is at capacity, ${retryLater}`;
      return { status, error: 'overloaded', type: 'overloaded_error', text };
    }
    default: {
      const text = `API Error: ${status} stand-in api_error. This is a server-side issue, ${retryLater}`;
      return { status, error: 'server_error', type: 'api_error', text };
    }
  }
}
