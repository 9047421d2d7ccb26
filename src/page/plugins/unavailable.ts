import type { Immutable, MakePlugin } from './swagger.js';

/** Marks an operation in the list that would be refused now; why stands in its description. */
export const unavailable: MakePlugin = () => ({
  wrapComponents: {
    OperationSummaryPath:
      (Original, { React }) =>
      (properties) => {
        const operation = properties.operationProps as Immutable;
        const path = React.createElement(Original, properties);
        if (typeof operation.getIn(['op', 'x-houmao-unavailable']) !== 'string') return path;
        const mark = React.createElement('span', { className: 'not-available' }, 'not available now');
        return React.createElement(React.Fragment, null, path, mark);
      },
  },
});
