import {
  anchorOf,
  byTag,
  type ContractDocument,
  type PlacedOperation,
} from '../contract/document/contract-document.js';
import { contents } from './navigation.js';
import { present } from './present.js';
import type { Component, Drawn, React } from './swagger.js';

/**
 * Draws the page as it stands until Swagger UI is there, and without JavaScript: the introduction, the contents, and each operation
 * with its path and summary, with the classes that Swagger UI gives them. The build makes HTML of it, with which the page begins.
 * @param markdown makes HTML of a text of the document.
 */
export function outline(
  React: React,
  document: ContractDocument,
  markdown: (text: string) => string,
): Component {
  const { createElement } = React;
  const { title, version, summary, description = '' } = present(document, false).info;
  const div = (className: string, ...children: Drawn[]): Drawn =>
    createElement('div', { className }, ...children);
  const text = (source: string): Drawn =>
    createElement('div', {
      className: 'renderedMarkdown',
      dangerouslySetInnerHTML: { __html: markdown(source) },
    });
  /** Its id is the fragment that leads to the operation, so that a browser finds it by itself. */
  const block = ({ method, path, operation }: PlacedOperation): Drawn =>
    createElement(
      'div',
      { className: `opblock opblock-${method}`, id: anchorOf(operation).slice(1) },
      div(
        `opblock-summary opblock-summary-${method}`,
        div(
          'opblock-summary-control',
          createElement('span', { className: 'opblock-summary-method' }, method.toUpperCase()),
          div(
            'opblock-summary-path-description-wrapper',
            createElement('span', { className: 'opblock-summary-path' }, path),
            div('opblock-summary-description', operation.summary),
          ),
        ),
      ),
    );
  return () =>
    div(
      'page outline',
      // The search needs the script; this keeps its place.
      div('side', div('search'), createElement(contents(React, document), null)),
      div(
        'described swagger-ui',
        div(
          'information-container wrapper',
          div(
            'info',
            createElement(
              'h1',
              { className: 'title' },
              title,
              createElement('small', null, createElement('pre', { className: 'version' }, version)),
            ),
            createElement('p', { className: 'info__summary' }, summary),
            createElement('p', { className: 'without-script' }, withoutScript),
            div('info__description description', text(description)),
          ),
        ),
        div(
          'wrapper',
          createElement('h2', { className: 'operations-title' }, 'Operations'),
          ...byTag(document).map((tag) =>
            div(
              'opblock-tag-section is-open',
              createElement(
                'h3',
                { className: 'opblock-tag' },
                createElement('span', null, tag.name),
                createElement('small', null, text(tag.description ?? '')),
              ),
              ...tag.operations.map(block),
            ),
          ),
        ),
      ),
    );
}

const withoutScript =
  'Parameters, answers, samples and Execute need JavaScript. The whole contract is in /openapi.json.';
