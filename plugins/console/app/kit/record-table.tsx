import type { ComponentChildren } from 'preact';

export interface Column<Item> {
  readonly title: string;
  readonly show: (item: Item) => ComponentChildren;
  readonly isNumber?: boolean;
}

interface TableProps<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly rows: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Buttons of a row. */
  readonly actions?: ((item: Item) => ComponentChildren) | undefined;
  /** Heading of the column with the buttons. */
  readonly actionsTitle?: string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
}

/** A table of records. On a phone each row is a block with the column titles beside its cells. */
export const RecordTable = <Item,>(props: TableProps<Item>) => {
  const { label, columns, rows, keyOf, actions, actionsTitle, empty } = props;
  if (rows.length === 0) return <>{empty}</>;
  return (
    <div class="records-frame">
      <table class="records" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col">
                <span class="unseen">{actionsTitle}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, show, isNumber }) => (
                <td key={title} data-label={title} class={isNumber ? 'number' : undefined}>
                  {show(row)}
                </td>
              ))}
              {actions !== undefined && (
                <td class="record-actions">
                  <div class="actions">{actions(row)}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
