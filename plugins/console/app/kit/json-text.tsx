import { ShownText } from './shown-text.tsx';

/** A document of the node, as it came. */
export const JsonText = ({ value }: { value: unknown }) => (
  <pre>
    <ShownText text={JSON.stringify(value, null, 2)} short={false} />
  </pre>
);

/** The same in a line, for lists. */
export const JsonLine = ({ value }: { value: unknown }) => (
  <code>
    <ShownText text={JSON.stringify(value)} />
  </code>
);
