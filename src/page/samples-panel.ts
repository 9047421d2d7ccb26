import {
  type ContractDocument,
  operationsOf,
  type PlacedOperation,
  type SdkClient,
} from '../contract/document/contract-document.js';
import {
  callOf,
  curlSample,
  type FormValues,
  pythonSample,
  type SampleCall,
  typescriptSample,
} from './samples.js';
import { browser, type Component, type KeyPress, type MakePlugin, type System } from './swagger.js';

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
const tabId = ({ operation }: PlacedOperation, language: string): string =>
  `sample-${operation.operationId}-${language}`;
const notJson = 'The request body is not JSON, so no sample can send it.';

/**
 * Draws samples of each operation's call in several languages, above its answers.
 * @param sdk null where the SDK has no client of the surface.
 */
export const samplesPanel =
  (document: ContractDocument, sdk: SdkClient | null): MakePlugin =>
  (system) => {
    const { React } = system;
    const all = new Map(operationsOf(document).map((placed) => [`${placed.method} ${placed.path}`, placed]));
    const Samples = samplesOf(document, system, browser.location.origin, sdk);
    return {
      wrapComponents: {
        responses: (Original) => (properties) => {
          const placed = all.get(`${properties.method} ${properties.path}`);
          return React.createElement(
            React.Fragment,
            null,
            placed && React.createElement(Samples, { placed }),
            React.createElement(Original, properties),
          );
        },
      },
    };
  };

function samplesOf(
  document: ContractDocument,
  { React, getStore, specSelectors, oas3Selectors }: System,
  baseUrl: string,
  sdk: SdkClient | null,
): Component {
  const languages: Readonly<Record<string, (call: SampleCall) => string>> = {
    curl: (call) => curlSample(call, baseUrl),
    ...(sdk && { TypeScript: (call: SampleCall) => typescriptSample(call, baseUrl, sdk) }),
    Python: (call) => pythonSample(call, baseUrl),
  };
  /** Returns the fields as text, so that a change elsewhere draws nothing again. */
  const fieldsOf = ({ method, path }: PlacedOperation): string => {
    const body = oas3Selectors.requestBodyValue(path, method);
    const parameters = specSelectors.parameterValues([path, method]).toJS();
    return JSON.stringify({ parameters, ...(typeof body === 'string' && { body }) });
  };
  const { createElement } = React;
  return ({ placed }) => {
    const operation = placed as PlacedOperation;
    const [chosen, choose] = React.useState('curl');
    const [fields, fill] = React.useState(fieldsOf(operation));
    React.useEffect(() => getStore().subscribe(() => fill(fieldsOf(operation))), []);
    const call = callOf(document, operation, JSON.parse(fields) as FormValues);
    const text = call === null ? notJson : (languages[chosen]?.(call) ?? '');
    const { clipboard } = browser.navigator;
    const names = Object.keys(languages);
    const pressed = (press: KeyPress): void => {
      const step = steps[press.key];
      if (step === undefined) return;
      const name = names[(names.indexOf(chosen) + step + names.length) % names.length] ?? chosen;
      choose(name);
      browser.document.getElementById(tabId(operation, name))?.focus();
      press.preventDefault();
    };
    return createElement(
      'div',
      { className: 'samples' },
      createElement(
        'div',
        { className: 'samples-head' },
        createElement('h4', null, 'Sample'),
        createElement(
          'div',
          { className: 'samples-tabs', role: 'tablist', 'aria-label': 'Language', onKeyDown: pressed },
          ...names.map((name) =>
            createElement(
              'button',
              {
                id: tabId(operation, name),
                role: 'tab',
                'aria-selected': name === chosen,
                tabIndex: name === chosen ? 0 : -1,
                onClick: () => choose(name),
              },
              name,
            ),
          ),
        ),
        clipboard && createElement('button', { onClick: () => void clipboard.writeText(text) }, 'Copy'),
      ),
      createElement(
        'pre',
        { className: 'sample', role: 'tabpanel', 'aria-labelledby': tabId(operation, chosen), tabIndex: 0 },
        text,
      ),
    );
  };
}
