import { ScrollBox } from './scroll-box.tsx';
import { ShownText } from './shown-text.tsx';

/** A document of the node, as it came. */
export const JsonText = ({ label, value }: { label: string; value: unknown }) => (
  <ScrollBox label={label} class="document">
    <pre>
      <ShownText text={JSON.stringify(value, null, 2)} short={false} />
    </pre>
  </ScrollBox>
);

/** The same in a line, for lists. */
export const JsonLine = ({ value }: { value: unknown }) => (
  <code>
    <ShownText text={JSON.stringify(value)} />
  </code>
);
