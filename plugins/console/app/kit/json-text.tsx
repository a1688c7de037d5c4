import { ScrollBox } from './scroll-box.tsx';
import { ShownText } from './shown-text.tsx';

/** Shows a JSON document of the node. */
export const JsonText = ({ label, value }: { label: string; value: unknown }) => (
  <ScrollBox label={label} class="document">
    <pre>
      <ShownText text={JSON.stringify(value, null, 2)} short={false} />
    </pre>
  </ScrollBox>
);

/** Shows a JSON document in one line, for lists. */
export const JsonLine = ({ value }: { value: unknown }) => (
  <code>
    <ShownText text={JSON.stringify(value)} />
  </code>
);
