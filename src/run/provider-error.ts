const meanings: Readonly<Record<number, string>> = {
  400: 'the provider rejected the request',
  401: 'the provider refused the credentials',
  403: 'the provider refused access',
  404: 'the provider does not know the model or address',
  413: 'the request is too large for the provider',
  429: 'the provider limits the rate; try again later',
  500: 'the provider has an internal error',
  502: 'the provider is not reachable behind its gateway',
  503: 'the provider is unavailable',
  529: 'the provider is overloaded; try again later',
};

/** What an agent's error text says about its provider's API, in words; null when it is about something else. */
export function explainProviderError(text: string): string | null {
  const status = Number(
    /\b(?:API Error:?|status(?: code)?:?|HTTP|error code:?|unexpected status|code["']?:)\s*\(?(\d{3})\b/i.exec(
      text,
    )?.[1] ??
      /\b(?:error|failed|failure)\b.{0,40}?\b(401|403|429|500|502|503|529)\b/i.exec(text)?.[1] ??
      /\b(401|403|429|500|502|503|529)\b.{0,20}?\b(?:error|unauthorized|forbidden|too many|overloaded|unavailable)\b/i.exec(
        text,
      )?.[1] ??
      Number.NaN,
  );
  const meaning = meanings[status];
  if (meaning) return `API error ${status}: ${meaning}. The agent said: ${text}`;
  if (/API Error|overloaded|rate.?limit|authenticat|unauthorized/i.test(text))
    return `API error. The agent said: ${text}`;
  return null;
}
