/** What readers think of answers reaches the server. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { data } from '../addresses.mjs'
import { project } from '../folders.mjs'
import { Chat, HOSTS } from './chat'

interface Opinion {
  answer_id: string
  rating: string
  note: string | null
}

function opinions(): Opinion[] {
  const citebook = process.env.CITEBOOK ?? join(project, '.venv/bin/citebook')
  const output = execFileSync(citebook, ['feedback', '--json', '--limit', '1000', '--data-dir', data])
  return (JSON.parse(output.toString()) as { feedback: Opinion[] }).feedback
}

test('thumbs and notes from all kinds of pages are stored with their answers', async ({ browser }) => {
  const notes = await Promise.all(
    HOSTS.map(async (host) => rate(await Chat.on(host, await browser.newPage()), `A note from ${host}`)),
  )
  const stored = opinions()
  for (const note of notes) expect(stored).toContainEqual(expect.objectContaining({ rating: 'down', note }))
})

async function rate(chat: Chat, note: string): Promise<string> {
  const { page } = await chat.open()
  await chat.ask('what is gimbal lock')
  await page.getByRole('button', { name: 'Bad answer' }).click()
  await expect(page.getByRole('button', { name: 'Bad answer' })).toHaveAttribute('aria-pressed', 'true')
  await page.getByLabel(/What is wrong or missing/).fill(note)
  await page.locator('.cb-feedback').getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Thank you for your feedback.')).toBeVisible()
  await page.close()
  return note
}
