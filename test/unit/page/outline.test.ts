import { createElement } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { outline } from '../../../src/page/outline.js';
import type { React } from '../../../src/page/swagger.js';
import { smallContract } from './small-contract.js';

const html = (): string => {
  const react = { createElement, useEffect, useState } as unknown as React;
  const document = {
    ...smallContract,
    tags: [{ name: 'books', description: 'To <read>.' }, { name: 'loans' }],
  };
  const escaped = (text: string): string => `<q>${text.replaceAll('<', '&lt;')}</q>`;
  return renderToString(createElement(outline(react, document, escaped) as () => null, null));
};

test('each operation stands under its tag, with its path and summary, at the fragment that the contents link', () => {
  const text = html();
  const ids = [...text.matchAll(/class="opblock opblock-(\w+)" id="([^"]+)"/g)].map(([, ...found]) => found);
  expect(ids).toEqual([
    ['get', '/books/getBook'],
    ['put', '/books/putBook'],
    ['get', '/loans/listLoans'],
    ['post', '/loans/lend'],
  ]);
  const links = [...text.matchAll(/href="#(\/[^"]+)"/g)].map(([, id]) => id);
  expect(links).toEqual(expect.arrayContaining(ids.map(([, id]) => id)));
  expect(text).toContain('/books/{book}</span><div class="opblock-summary-description">Read a book</div>');
});

test('texts of the document are written by the given maker, and stay text', () => {
  const text = html();
  expect(text).toContain('<q>To &lt;read>.</q>');
  expect(text).toContain('<q>Begin with ');
  expect(text).not.toContain('undefined');
});
