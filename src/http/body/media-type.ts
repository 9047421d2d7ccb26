/** Whether a Content-Type declares JSON: `application/json` or `application/*+json`, with any parameters. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return mediaType !== undefined && /^application\/(?:[\w.!#$&^+-]+\+)?json$/.test(mediaType);
}
