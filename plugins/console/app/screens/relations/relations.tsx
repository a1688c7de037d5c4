import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';
import { RuleForm } from './rule-form.tsx';

export type RelationRule = AnswerOf<'GET /v1/relations'>['rules'][number];

/** The rules about the values of relations. */
export const Relations = () => {
  const { client, texts, own } = useSession('relations');
  const asked = useRequest((signal) => client.call('GET /v1/relations', { signal }), []);
  const actions = useActions(asked.reload);
  const rowActions = (rule: RelationRule) => (
    <>
      <Button
        text={own.change}
        aria-label={fill(own.changeOf, { pattern: rule.pattern })}
        onClick={() => actions.show(<RuleForm rule={rule} actions={actions} />)}
      />
      <Button
        text={own.remove}
        class="danger"
        aria-label={fill(own.removeOf, { pattern: rule.pattern })}
        onClick={() => actions.show(<RemoveRule rule={rule} actions={actions} />)}
      />
    </>
  );
  return (
    <>
      <ScreenHead title={texts.screens.relations}>
        <Button text={own.add} class="primary" onClick={() => actions.show(<RuleForm actions={actions} />)} />
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <Answer asked={asked}>
        {({ rules }) => (
          <RecordTable
            label={texts.screens.relations}
            columns={columnsOf(own)}
            rows={rules}
            keyOf={({ pattern }) => pattern}
            actions={rowActions}
            actionsTitle={texts.actions}
            empty={<Empty title={own.nothing} />}
          />
        )}
      </Answer>
    </>
  );
};

const columnsOf = (own: Texts['relations']): readonly Column<RelationRule>[] => [
  { title: own.pattern, show: ({ pattern }) => <ShownText text={pattern} /> },
  { title: own.values, show: ({ values }) => <span class="tag">{own[values]}</span> },
  { title: own.type, show: ({ value_type: type }) => type ?? own.anyType },
  { title: own.setBy, show: ({ set_by: by }) => <ShownText text={by} /> },
  { title: own.set, show: ({ set_at: at }) => <Instant at={at} relative /> },
];

const RemoveRule = ({ rule: { pattern }, actions }: { rule: RelationRule; actions: Actions }) => {
  const { client, own } = useSession('relations');
  return (
    <ConfirmDialog
      title={fill(own.removeOf, { pattern })}
      submit={own.remove}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/relations', { query: { pattern } });
        actions.done(fill(own.removed, { pattern }));
      }}
    >
      <p>{own.removeText}</p>
    </ConfirmDialog>
  );
};
