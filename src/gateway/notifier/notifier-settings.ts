/** The settings of an operator, kept in `gateway_mail_notifier`. */
export interface NotifierSettings {
  enabled: boolean;
  /** Null while switched off. */
  intervalSeconds: number | null;
  mode: 'any_inbox' | 'unread_only';
  appendixText: string;
  contextErrorPolicy: 'continue_current' | 'clear_context';
  preNotificationContextAction: 'none' | 'compact';
  notices: NoticeSettings;
}

/** The handling of notices that senders attached. */
export interface NoticeSettings {
  render: 'enabled' | 'disabled';
  authMode: 'permissive-log' | 'required';
  verifier: 'none' | 'shared-token';
  sharedTokens: readonly string[];
  /** In code points, as it was set: below 1 it counts as 1. */
  perMessageChars: number;
  /** In code points, as it was set: below 0 it counts as 0. */
  totalChars: number;
}

export const firstSettings: NotifierSettings = {
  enabled: false,
  intervalSeconds: null,
  mode: 'any_inbox',
  appendixText: '',
  contextErrorPolicy: 'continue_current',
  preNotificationContextAction: 'none',
  notices: {
    render: 'enabled',
    authMode: 'permissive-log',
    verifier: 'none',
    sharedTokens: [],
    perMessageChars: 512,
    totalChars: 2048,
  },
};

/**
 * The settings that a caller requests. `mode`, `contextErrorPolicy` and `preNotificationContextAction` return to their
 * defaults when left out; the rest keeps its value.
 */
export interface NotifierUpdate {
  intervalSeconds: number;
  mode?: NotifierSettings['mode'] | undefined;
  contextErrorPolicy?: NotifierSettings['contextErrorPolicy'] | undefined;
  preNotificationContextAction?: NotifierSettings['preNotificationContextAction'] | undefined;
  /** An empty text clears it. */
  appendixText?: string | undefined;
  /** Null is the same as left out; an empty list clears the tokens. */
  notices: { [K in keyof NoticeSettings]?: NoticeSettings[K] | null | undefined };
}

/** Returns the settings after an update (docs/decisions.md#notifier-settings). Pure. */
export function updated(stored: NotifierSettings, update: NotifierUpdate): NotifierSettings {
  const given = Object.entries(update.notices).filter(([, value]) => value != null);
  return {
    enabled: true,
    intervalSeconds: update.intervalSeconds,
    mode: update.mode ?? firstSettings.mode,
    contextErrorPolicy: update.contextErrorPolicy ?? firstSettings.contextErrorPolicy,
    preNotificationContextAction:
      update.preNotificationContextAction ?? firstSettings.preNotificationContextAction,
    appendixText: update.appendixText ?? stored.appendixText,
    notices: { ...stored.notices, ...Object.fromEntries(given) },
  };
}

/** Returns the settings switched off; everything but the switch and its interval stays. Pure. */
export const disabled = (stored: NotifierSettings): NotifierSettings => ({
  ...stored,
  enabled: false,
  intervalSeconds: null,
});
