import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { useSession } from '../../session/session.ts';
import { type Question, type Settings, USUAL_SETTINGS } from './recall-settings.ts';
import { SettingFields } from './setting-fields.tsx';

interface RecallFormProps {
  readonly question: Question;
  readonly one: Settings;
  readonly other: Settings | undefined;
  readonly onAsk: (question: Question, one: Settings, other: Settings | undefined) => void;
}

/** The question, with one or two settings. */
export const RecallForm = (given: RecallFormProps) => {
  const { recall: texts } = useSession().texts;
  const [question, setQuestion] = useState(given.question);
  const [one, setOne] = useState(given.one);
  const [other, setOther] = useState(given.other);
  // On a phone the settings would fill the screen between the question and its answer.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  useLayoutEffect(() => {
    // A step in the history of the browser restores the earlier question.
    setQuestion(given.question);
    setOne(given.one);
    setOther(given.other);
  }, [JSON.stringify([given.question, given.one, given.other])]);
  const ask = (event: Event): void => {
    event.preventDefault();
    given.onAsk(question, one, other);
  };
  return (
    <form class="recall-form" onSubmit={ask}>
      <div class="recall-question">
        <Field label={texts.question}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              dir="auto"
              required={question.entity.trim() === ''}
              value={question.query}
              onInput={({ currentTarget }) => setQuestion({ ...question, query: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={texts.entity}>
          {(ids) => (
            <input
              {...ids}
              dir="auto"
              value={question.entity}
              onInput={({ currentTarget }) => setQuestion({ ...question, entity: currentTarget.value })}
            />
          )}
        </Field>
        <button type="submit" class="primary">
          {texts.ask}
        </button>
      </div>
      <details class="recall-ways" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{texts.ways}</summary>
        <div class="recall-pair">
          <SettingFields title={other === undefined ? texts.settings : texts.settingsA} value={one} onChange={setOne} />
          {other !== undefined && <SettingFields title={texts.settingsB} value={other} onChange={setOther} />}
        </div>
      </details>
      <div class="bar">
        <Button
          text={other === undefined ? texts.compare : texts.compareNoMore}
          onClick={() => {
            setOther(other === undefined ? one : undefined);
            setOpen(true);
          }}
        />
        <Button
          text={texts.usual}
          onClick={() => {
            setOne(USUAL_SETTINGS);
            setOther(undefined);
          }}
        />
        <span class="muted recall-remark">{texts.remark}</span>
      </div>
    </form>
  );
};
