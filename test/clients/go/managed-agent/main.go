// Calls a managed-agent server with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	houmao "example.com/houmao/managed_agent"
)

var failed = false

func check(name string, call func() error) {
	if err := call(); err != nil {
		failed = true
		fmt.Printf("failed %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("ok", name)
}

// The model of the body of a refusal with this status.
func refused[Model any](status int, response *http.Response, err error) (Model, error) {
	var none Model
	var refusal *houmao.GenericOpenAPIError
	if !errors.As(err, &refusal) || response == nil || response.StatusCode != status {
		return none, fmt.Errorf("no refusal with %d: %v", status, err)
	}
	body, ok := refusal.Model().(Model)
	if !ok {
		return none, fmt.Errorf("the body is a %T", refusal.Model())
	}
	return body, nil
}

func main() {
	configuration := houmao.NewConfiguration()
	configuration.Servers = houmao.ServerConfigurations{{URL: os.Args[1]}}
	client, ctx := houmao.NewAPIClient(configuration), context.Background()
	var agent, turnId string

	check("the agents are listed", func() error {
		list, _, err := client.AgentsAPI.ListAgents(ctx).Execute()
		if err != nil {
			return err
		}
		if len(list.Agents) != 1 || list.Agents[0].Transport != houmao.AGENTTRANSPORT_HEADLESS {
			return fmt.Errorf("%v", list.Agents)
		}
		agent = list.Agents[0].TrackedAgentId
		return nil
	})
	check("its detail is distinguished by transport", func() error {
		detail, _, err := client.AgentsAPI.GetAgentDetail(ctx, agent).Execute()
		if err == nil && (detail.Detail.HeadlessAgentDetail == nil || detail.Detail.TuiAgentDetail != nil) {
			return fmt.Errorf("%v", detail.Detail)
		}
		return err
	})
	check("a turn runs once, and its record has the answer", func() error {
		create := *houmao.NewAgentTurnCreate("Hello from Go")
		for range 2 {
			begun, _, err := client.TurnsAPI.CreateTurn(ctx, agent).AgentTurnCreate(create).IdempotencyKey("go-1").Execute()
			if err != nil {
				return err
			}
			if turnId != "" && begun.TurnId != turnId {
				return errors.New("a second turn")
			}
			turnId = begun.TurnId
		}
		record, _, err := client.TurnsAPI.GetTurnRecord(ctx, agent, turnId).WaitSeconds(30).Execute()
		if err != nil {
			return err
		}
		if answer := record.Answer.Get(); answer == nil || !strings.Contains(answer.Text, "Hello from Go") {
			return fmt.Errorf("%v", answer)
		}
		return nil
	})
	check("what the agent wrote is read as text", func() error {
		text, _, err := client.TurnsAPI.GetTurnStdout(ctx, agent, turnId).Execute()
		if err == nil && !strings.Contains(text, "Hello from Go") {
			return errors.New(text)
		}
		return err
	})
	check("an unknown agent is a typed 404", func() error {
		_, response, err := client.AgentsAPI.GetAgent(ctx, "nobody").Execute()
		body, err := refused[houmao.ErrorText](404, response, err)
		if err == nil && !strings.Contains(body.Detail, "nobody") {
			return errors.New(body.Detail)
		}
		return err
	})
	if failed {
		os.Exit(1)
	}
}
