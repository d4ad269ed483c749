/** What readers think of answers reaches the server. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { project, state } from '../places.mjs'
import { Chat, HOSTS } from './chat'

interface Opinion {
  answer_id: string
  rating: string
  note: string | null
}

function opinions(): Opinion[] {
  const citebook = process.env.CITEBOOK ?? join(project, '.venv/bin/citebook')
  const output = execFileSync(citebook, ['feedback', '--json', '--limit', '1000', '--data-dir', join(state, 'data')])
  return (JSON.parse(output.toString()) as { feedback: Opinion[] }).feedback
}

for (const host of HOSTS) {
  test(`a thumb and a note on ${host} are stored with the answer`, async ({ page }) => {
    const chat = await (await Chat.on(host, page)).open()
    const note = `A note from ${host}, ${Date.now()}`
    await chat.ask('what is gimbal lock')
    await page.getByRole('button', { name: 'Bad answer' }).click()
    await expect(page.getByRole('button', { name: 'Bad answer' })).toHaveAttribute('aria-pressed', 'true')
    await page.getByLabel(/What is wrong or missing/).fill(note)
    await page.locator('.cb-feedback').getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Thank you for your feedback.')).toBeVisible()
    expect(opinions()).toContainEqual(expect.objectContaining({ rating: 'down', note }))
  })
}
