import type { NotifyAuth } from '../../mail/message/mail-message.js';
import type { NoticeSettings } from './notifier-settings.js';

/** What a check of a notice found. Nothing of a token is in it. */
export interface NoticeCheck {
  passed: boolean;
  outcome: 'skipped' | 'passed' | 'failed';
  detail: string;
}

/** Decides whether a notice comes from whom the operator trusts. A new one is one entry of {@link verifiers}. */
export type NoticeVerifier = (auth: NotifyAuth | null, settings: NoticeSettings) => NoticeCheck;

export const verifiers: Readonly<Record<NoticeSettings['verifier'], NoticeVerifier>> = {
  none: () => ({ passed: true, outcome: 'skipped', detail: 'no verifier configured' }),
  'shared-token': (auth, { sharedTokens }) => {
    if (!auth?.token) return { passed: false, outcome: 'failed', detail: 'missing notify_auth.token' };
    return sharedTokens.includes(auth.token)
      ? { passed: true, outcome: 'passed', detail: 'token matched allowlist' }
      : { passed: false, outcome: 'failed', detail: 'token is not in the allowlist' };
  },
};
