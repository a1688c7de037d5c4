import type { ComponentChildren } from 'preact';

interface LineProps {
  /** What it is, and its marks. */
  readonly head: ComponentChildren;
  /** What else is known, in small letters. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** A record of a long list: what it is, below that what is known of it, and what can be done with it. */
export const RecordLine = ({ head, about, actions }: LineProps) => (
  <article class="record-line">
    <div class="record-text">
      <p class="fact-says">{head}</p>
      {about !== undefined && <p class="fact-about muted">{about}</p>}
    </div>
    {actions !== undefined && <div class="actions">{actions}</div>}
  </article>
);
