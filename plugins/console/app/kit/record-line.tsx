import type { ComponentChildren } from 'preact';

interface LineProps {
  /** The name of the record, with its marks. */
  readonly head: ComponentChildren;
  /** Further details, in small print. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** A record of a long list: its name, its details and its actions. */
export const RecordLine = ({ head, about, actions }: LineProps) => (
  <article class="record-line">
    <div class="record-text">
      <p class="fact-says">{head}</p>
      {about !== undefined && <p class="fact-about muted">{about}</p>}
    </div>
    {actions !== undefined && <div class="actions">{actions}</div>}
  </article>
);
