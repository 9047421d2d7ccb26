/** What readers of mail are likely to be sent; a guess by the name, for nobody looks into the file. */
const types: Readonly<Record<string, string>> = {
  ...{
    txt: 'text/plain',
    log: 'text/plain',
    md: 'text/markdown',
    csv: 'text/csv',
    html: 'text/html',
    htm: 'text/html',
  },
  ...{ css: 'text/css', js: 'text/javascript', mjs: 'text/javascript', xml: 'text/xml', py: 'text/x-python' },
  ...{
    c: 'text/x-c',
    h: 'text/x-c',
    json: 'application/json',
    pdf: 'application/pdf',
    zip: 'application/zip',
  },
  ...{ tar: 'application/x-tar', gz: 'application/gzip', sh: 'application/x-sh', wasm: 'application/wasm' },
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', svg: 'image/svg+xml' },
  ...{
    webp: 'image/webp',
    bmp: 'image/bmp',
    mp3: 'audio/mpeg',
    wav: 'audio/x-wav',
    mp4: 'video/mp4',
    webm: 'video/webm',
  },
};

export function mediaTypeOf(fileName: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, extension) ? (types[extension] ?? '') : 'application/octet-stream';
}
