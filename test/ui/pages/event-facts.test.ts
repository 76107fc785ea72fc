/** What the details tell of an event: every field of the record, and some of `data` where it is (interface 2.4). */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type EventFact,
  factsForPeople,
  readEvent,
  technicalFacts,
} from '../../../src/ui/pages/shared/events/event-view.ts';

const RECORD = { id: '1-a', camera: 'front', label: 'car', start_time: 1_785_844_800, zones: ['porch', 'lawn'] };

const told = (record: object): Record<string, unknown> => {
  const event = readEvent({ ...RECORD, ...record });
  assert.ok(event);
  const shown = (facts: readonly EventFact[]) => Object.fromEntries(facts.filter(([, value]) => value));
  return { ...shown(factsForPeople(event)), technical: shown(technicalFacts(event)) };
};

it('An event tells what its record holds, and nothing of what it does not', () => {
  const { Started, ...facts } = told({});
  assert.match(String(Started), /2026/);
  assert.deepEqual(facts, {
    Camera: 'front',
    Zones: 'porch, lawn',
    technical: { ID: '1-a' },
  });
});

it('An event with everything tells it, and what its data has for people', () => {
  const facts = told({
    sub_label: 'Zoë',
    end_time: 1_785_844_900,
    has_clip: true,
    has_snapshot: false,
    retain_indefinitely: true,
    false_positive: false,
    plus_id: 'p-1',
    detector_type: 'cpu',
    model_type: 'yolo',
    model_hash: 'a3',
    data: { score: 0.5, recognized_license_plate: 'B-XY 12', average_estimated_speed: 31.96, description: '<b>A car.' },
  });
  const { Started, Ended, ...others } = facts;
  assert.notEqual(Ended, Started);
  assert.deepEqual(others, {
    Camera: 'front',
    'Sub label': 'Zoë',
    Score: '50%',
    'Licence plate': 'B-XY 12',
    Speed: '32.0',
    Description: '<b>A car.',
    Zones: 'porch, lawn',
    technical: {
      'Clip available': 'yes',
      'Snapshot available': 'no',
      Retained: 'yes',
      'False positive': 'no',
      'Submitted as': 'p-1',
      Detector: 'cpu',
      Model: 'yolo',
      'Model hash': 'a3',
      ID: '1-a',
    },
  });
});
